// Reads the model calls in OpenTelemetry spans of Vercel's AI SDK, from attributes that only this SDK has. It wrote them before
// it had OpenTelemetry's GenAI attributes, and still writes them with the option LegacyOpenTelemetry: ai.prompt.messages,
// ai.prompt.tools, ai.response.text, ai.response.reasoning, ai.response.toolCalls on the spans of single calls (`….doGenerate`,
// `….doStream`). Source: vercel/ai, packages/otel/src/legacy-open-telemetry.ts and stringify-for-telemetry.ts.
import { asRecord, BadItem } from '../files/data-error.js';
import { jsonOf, toolsOf } from './gen-ai.js';
import type { GenAiSpan, SpanCall } from './spans.js';
import { answerText, partText, recordsOf, toolAnswer, toolCall } from './part-text.js';

type Item = Readonly<Record<string, unknown>>;

/** Converts a span to a conversation; null if it is not a model call, or lacks the messages. */
export function aiSdkCall({ attributes }: GenAiSpan): SpanCall | null {
  const prompt = jsonOf(attributes, 'ai.prompt.messages');
  const { 'ai.response.text': text, 'ai.response.object': object, 'ai.response.reasoning': reasoning } = attributes;
  const calls = jsonOf(attributes, 'ai.response.toolCalls');
  if (prompt === undefined || (text ?? object ?? calls) === undefined) return null;
  const before = recordsOf(prompt, "'ai.prompt.messages'").flatMap((message, i) =>
    messagesOf(message, `message ${i + 1}`),
  );
  const called = recordsOf(calls ?? [], "'ai.response.toolCalls'").map(callOf);
  const answer = {
    role: 'assistant',
    content: text ?? object ?? '',
    ...(typeof reasoning === 'string' && reasoning !== '' && { reasoning_content: reasoning }),
    ...(called.length > 0 && { tool_calls: called }),
    finish_reason: attributes['ai.response.finishReason'],
  };
  const tools = attributes['ai.prompt.tools'];
  return { messages: [...before, answer], tools: Array.isArray(tools) ? toolsOf(tools.map(toolOf)) : undefined };
}

/** Parses a tool, which is an object or its JSON text. */
const toolOf = (tool: unknown): unknown =>
  typeof tool === 'string' ? jsonOf({ 'ai.prompt.tools': tool }, 'ai.prompt.tools') : tool;

/** Converts a tool call to Chat Completions. Its arguments are in `input` since version 5 of the SDK, before in `args`. */
const callOf = ({ toolCallId, toolName, input, args }: Item): Record<string, unknown> =>
  toolCall(toolCallId, toolName, input ?? args);

/** Converts a message. Tool results, which the SDK has as parts of a message, become messages of the role `tool`. */
function messagesOf({ role, content }: Item, what: string): Record<string, unknown>[] {
  if (typeof content === 'string') return [{ role, content }];
  const messages: Record<string, unknown>[] = [];
  let texts: string[] = [];
  const thoughts: string[] = [];
  const calls: Record<string, unknown>[] = [];
  const addTexts = () => {
    if (texts.length > 0) messages.push({ role: role === 'tool' ? 'user' : role, content: texts.join('') });
    texts = [];
  };
  for (const part of recordsOf(content, `the content of ${what}`)) {
    const { type, toolCallId: id, text } = part;
    if (type === 'tool-call') calls.push(callOf(part));
    else if (type === 'reasoning') thoughts.push(String(text));
    else if (type === 'tool-result') {
      if (role !== 'assistant') addTexts();
      messages.push(toolAnswer(id, resultText(part)));
    } else texts.push(partText(part, what, ['text']));
  }
  if (role === 'assistant') {
    const said = {
      role,
      content: texts.join(''),
      ...(thoughts.length > 0 && { reasoning_content: thoughts.join('') }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return [said, ...messages];
  }
  addTexts();
  return messages.length > 0 || role === 'tool' ? messages : [{ role, content: '' }];
}

/** Returns the text of a tool result: in `output` since version 5 of the SDK, in one of several forms; before, in `result`. */
function resultText({ output, result }: Item): string {
  const { type, value, reason } = asRecord(output) ?? {};
  switch (type) {
    case 'text':
    case 'json':
    case 'error-text':
    case 'error-json':
      return answerText(value);
    case 'content':
      throw new BadItem('the result of a tool has parts of content; texts and JSON are read');
    case 'execution-denied':
      return answerText(reason ?? 'denied');
    default:
      return answerText(output ?? result);
  }
}
