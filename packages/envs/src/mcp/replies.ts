// The replies of an agent: calls of tools, or its answer.
//
//   json    {"name": "price", "arguments": {"item": "pear"}}        {"answer": "4"}
//   hermes  <tool_call>\n{"name": "price", "arguments": {"item": "pear"}}\n</tool_call>        any text without a call is the answer
//
// Source of the second: the chat template of Hermes 2 Pro, which Qwen 2.5 and 3 share; chat_template=tools writes it too.
import { visibleAnswer } from '../http/visible-answer.js';
import type { CallFormat } from './options.js';
import { answerText, isObject, type ExpertStep, type ToolCall } from './task-file.js';

/** A reply: calls, an answer, or why it is neither. */
export type Reply = { calls: readonly ToolCall[] } | { answer: string } | { fault: string };

const RULE = 'write one JSON object: {"name": TOOL, "arguments": {…}} or {"answer": TEXT}';

/** Reads a reply; thoughts in it are left out. */
export function readReply(text: string, format: CallFormat): Reply {
  const visible = visibleAnswer(text);
  if (visible === null) return { fault: 'The reply ends within its thoughts.' };
  return format === 'json' ? jsonReply(visible) : hermesReply(visible);
}

function jsonReply(text: string): Reply {
  const inner = /^```(?:json)?\s*([\s\S]*?)```$/.exec(text)?.[1] ?? text;
  const value = parsed(inner);
  if (!isObject(value)) return { fault: `The reply is not a JSON object; ${RULE}.` };
  if ('answer' in value && 'name' in value) return { fault: `The reply has both a name and an answer; ${RULE}.` };
  if ('answer' in value) return { answer: answerText(value.answer) };
  return called([value], RULE);
}

const BLOCK = /<tool_call>([\s\S]*?)<\/tool_call>/g;

function hermesReply(text: string): Reply {
  const blocks = [...text.matchAll(BLOCK)].map(([, inner]) => parsed(inner));
  const rest = text.replace(BLOCK, '');
  if (/<\/?tool_call>/.test(rest)) return { fault: 'A call lacks <tool_call> or </tool_call>.' };
  if (blocks.length === 0) return { answer: text.trim() };
  return called(blocks, 'between <tool_call> and </tool_call>, write {"name": TOOL, "arguments": {…}}');
}

function called(values: readonly unknown[], rule: string): Reply {
  const calls: ToolCall[] = [];
  for (const value of values) {
    const { name, arguments: given = {} } = isObject(value) ? value : {};
    if (typeof name !== 'string' || !isObject(given)) return { fault: `The reply is not a call; ${rule}.` };
    calls.push({ name, arguments: given });
  }
  return { calls };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The step of an expert as a reply. */
export function writeReply(step: ExpertStep, format: CallFormat): string {
  if ('answer' in step) return format === 'json' ? `{"answer": ${JSON.stringify(step.answer)}}` : step.answer;
  const call = `{"name": ${JSON.stringify(step.name)}, "arguments": ${spaced(step.arguments)}}`;
  return format === 'json' ? call : `<tool_call>\n${call}\n</tool_call>`;
}

/** JSON on one line with spaces behind commas and colons, as Python and chat templates write it. */
export function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`);
  return `{${members.join(', ')}}`;
}

/** Results of calls as an observation. */
export const writeResults = (results: readonly string[], format: CallFormat): string =>
  (format === 'json' ? results : results.map((text) => `<tool_response>\n${text}\n</tool_response>`)).join('\n');
