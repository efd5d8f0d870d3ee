// Parses the replies of an agent: calls of tools, or its answer. The formats are:
//
//   json    {"name": "price", "arguments": {"item": "pear"}}        {"answer": "4"}
//   hermes  <tool_call>\n{"name": "price", "arguments": {"item": "pear"}}\n</tool_call>        any text without a call is the answer
//
// Source of the format hermes: the chat template of Hermes 2 Pro, which Qwen 2.5 and 3 share; chat.template=tools uses it too.
import { isRecord } from '@bowyer/core';
import { ENDS_OF_THOUGHTS, visibleAnswer } from '../http/visible-answer.js';
import { lostNumber, membersAsWritten, objectEnd } from '../json-text.js';
import type { CallFormat } from './options.js';
import type { ExpertStep, ToolCall } from './task-file.js';

/** A parsed reply: tool calls, an answer, or the reason why the reply is neither. */
export type Reply = { calls: readonly ToolCall[] } | { answer: string } | { fault: string };

const RULE = 'write one JSON object: {"name": TOOL, "arguments": {…}} or {"answer": TEXT}';

/** Parses a reply after its reasoning was removed. Reasoning tags inside the strings of a call or an answer have no meaning. */
export function readReply(text: string, format: CallFormat): Reply {
  return format === 'json' ? jsonReply(text) : hermesReply(text);
}

const ENDS_IN_THOUGHTS: Reply = { fault: 'The reply ends within its thoughts.' };

function jsonReply(text: string): Reply {
  const json = objectOf(text) ?? objectOf(visibleAnswer(text));
  if (json === null)
    return visibleAnswer(text) === null ? ENDS_IN_THOUGHTS : { fault: `The reply is not a JSON object; ${RULE}.` };
  const value = JSON.parse(json) as Record<string, unknown>;
  if ('answer' in value && 'name' in value) return { fault: `The reply has both a name and an answer; ${RULE}.` };
  if (!('answer' in value)) return called([json], RULE);
  const { answer } = value;
  return { answer: typeof answer === 'string' ? answer : membersAsWritten(json).answer };
}

/** Returns the JSON object that is the text or follows the reasoning, with or without a code fence; null for other texts. */
function objectOf(text: string | null): string | null {
  if (text === null) return null;
  const starts = [0, ...[...text.matchAll(ENDS_OF_THOUGHTS)].map(({ index, 0: end }) => index + end.length)];
  for (const start of starts) {
    const rest = text.slice(start).trim();
    const inner = (/^```(?:json)?\s*([\s\S]*?)```$/.exec(rest)?.[1] ?? rest).trim();
    if (objectEnd(inner, 0) === inner.length) return inner;
  }
  return null;
}

const [BEGIN, END] = ['<tool_call>', '</tool_call>'];

/** Parses a reply in the format hermes. Complete calls are cut out first, since their strings may contain reasoning tags. */
function hermesReply(text: string): Reply {
  const mark = unusedCharacter(text);
  const whole: string[] = [];
  let [marked, last] = ['', 0];
  for (const { start, end, json } of wholeCalls(text)) {
    marked += `${text.slice(last, start)}${mark}${whole.length}${mark}`;
    whole.push(json);
    last = end;
  }
  const visible = visibleAnswer(marked + text.slice(last));
  if (visible === null) return ENDS_IN_THOUGHTS;
  const block = new RegExp(`${mark}(\\d+)${mark}|${BEGIN}([^]*?)${END}`, 'g');
  const calls = [...visible.matchAll(block)].map(([, number, inner]) => (number ? whole[Number(number)] : inner));
  const rest = visible.replace(block, '');
  if (/<\/?tool_call>/.test(rest)) return { fault: `A call lacks ${BEGIN} or ${END}.` };
  if (calls.length === 0) return { answer: visible };
  return called(calls, `between ${BEGIN} and ${END}, write {"name": TOOL, "arguments": {…}}`);
}

/** Yields the <tool_call> blocks of a text that contain exactly one JSON object. */
function* wholeCalls(text: string): Generator<{ start: number; end: number; json: string }> {
  let start = text.indexOf(BEGIN);
  while (start >= 0) {
    const first = start + BEGIN.length + /^\s*/.exec(text.slice(start + BEGIN.length))![0].length;
    const behind = objectEnd(text, first);
    const closed = behind < 0 ? null : /^\s*<\/tool_call>/.exec(text.slice(behind));
    const end = closed === null ? start + BEGIN.length : behind + closed[0].length;
    if (closed !== null) yield { start, end, json: text.slice(first, behind) };
    start = text.indexOf(BEGIN, end);
  }
}

function unusedCharacter(text: string): string {
  let code = 0xe000; // the first character of the private use area
  while (text.includes(String.fromCharCode(code))) code++;
  return String.fromCharCode(code);
}

function called(texts: readonly string[], rule: string): Reply {
  const calls: ToolCall[] = [];
  for (const text of texts) {
    const { name, arguments: given = {} } = parsed(text);
    if (typeof name !== 'string' || !isRecord(given)) return { fault: `The reply is not a call; ${rule}.` };
    const lost = lostNumber(text);
    if (lost !== null)
      return {
        fault: `The call of ${name} cannot be sent: ${lost} has more digits than a number keeps; write it as a text.`,
      };
    calls.push({ name, arguments: given });
  }
  return { calls };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

export function writeReply(step: ExpertStep, format: CallFormat): string {
  if ('answer' in step) return format === 'json' ? `{"answer": ${JSON.stringify(step.answer)}}` : step.answer;
  const call = `{"name": ${JSON.stringify(step.name)}, "arguments": ${spaced(step.arguments)}}`;
  return format === 'json' ? call : `<tool_call>\n${call}\n</tool_call>`;
}

/** Writes JSON on one line with spaces after commas and colons, as Python and chat templates do. */
export function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`);
  return `{${members.join(', ')}}`;
}

export const writeResults = (results: readonly string[], format: CallFormat): string =>
  (format === 'json' ? results : results.map((text) => `<tool_response>\n${text}\n</tool_response>`)).join('\n');
