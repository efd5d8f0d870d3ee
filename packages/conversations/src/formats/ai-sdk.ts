// Spans of the AI SDK before its GenAI attributes, and of its LegacyOpenTelemetry: ai.prompt.messages, ai.prompt.tools, ai.response.text,
// ai.response.reasoning, ai.response.toolCalls on the spans of single calls (`….doGenerate`, `….doStream`).
// Source: vercel/ai, packages/otel/src/legacy-open-telemetry.ts and stringify-for-telemetry.ts.
import { asRecord, BadItem } from '../files/data-error.js';
import { jsonOf, toolsOf } from './gen-ai.js';
import type { GenAiSpan, SpanCall } from './spans.js';
import { answerText, CalledNames, partText, recordsOf, toolCall } from './part-text.js';

type Item = Readonly<Record<string, unknown>>;

/** @returns null where the span is not a call of a model with its messages */
export function aiSdkCall({ attributes }: GenAiSpan): SpanCall | null {
  const prompt = jsonOf(attributes, 'ai.prompt.messages');
  const { 'ai.response.text': text, 'ai.response.object': object, 'ai.response.reasoning': reasoning } = attributes;
  const calls = jsonOf(attributes, 'ai.response.toolCalls');
  if (prompt === undefined || (text ?? object ?? calls) === undefined) return null;
  const names = new CalledNames();
  const before = recordsOf(prompt, "'ai.prompt.messages'").flatMap((message, i) =>
    messagesOf(message, `message ${i + 1}`, names),
  );
  const called = recordsOf(calls ?? [], "'ai.response.toolCalls'").map(callOf);
  const answer = {
    role: 'assistant',
    content: text ?? object ?? '',
    ...(typeof reasoning === 'string' && reasoning !== '' && { reasoning_content: reasoning }),
    ...(called.length > 0 && { tool_calls: called }),
  };
  const tools = attributes['ai.prompt.tools'];
  return { messages: [...before, answer], tools: Array.isArray(tools) ? toolsOf(tools.map(toolOf)) : undefined };
}

/** Each tool is a text of JSON. */
const toolOf = (tool: unknown): unknown =>
  typeof tool === 'string' ? jsonOf({ 'ai.prompt.tools': tool }, 'ai.prompt.tools') : tool;

/** `input` since version 5, `args` before. */
const callOf = ({ toolCallId, toolName, input, args }: Item): Record<string, unknown> =>
  toolCall(toolCallId, toolName, input ?? args);

function messagesOf({ role, content }: Item, what: string, names: CalledNames): Record<string, unknown>[] {
  if (typeof content === 'string') return [{ role, content }];
  const parts = recordsOf(content, `the content of ${what}`);
  const called = parts.filter(({ type }) => type === 'tool-call');
  for (const { toolCallId: id, toolName: name } of called) names.add(id, name);
  const answers = parts
    .filter(({ type }) => type === 'tool-result')
    .map(({ toolCallId: id, output, result }) => names.answer(id, outputText(output ?? result)));
  if (role === 'tool') return answers;
  const thoughts = parts.filter(({ type }) => type === 'reasoning').map(({ text }) => String(text));
  const texts = parts.filter(({ type }) => !['tool-call', 'tool-result', 'reasoning'].includes(String(type)));
  const said = {
    role,
    content: texts.map((part) => partText(part, what, ['text'])).join(''),
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join('') }),
    ...(called.length > 0 && { tool_calls: called.map(callOf) }),
  };
  return [said, ...answers];
}

/** `{type: 'text' | 'json' | …, value}` since version 5, the value itself before. */
function outputText(output: unknown): string {
  const { type, value, reason } = asRecord(output) ?? {};
  if (type === 'content') throw new BadItem('the result of a tool has parts of content; texts and JSON are read');
  if (type === 'execution-denied') return answerText(reason ?? 'denied');
  return answerText(typeof type === 'string' && value !== undefined ? value : output);
}
