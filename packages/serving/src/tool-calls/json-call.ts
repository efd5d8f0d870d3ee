// Parses tool calls that are JSON objects with the tool's name and arguments, which several formats have between their markers.
import { either, repeat, sequence, text, type Grammar } from '@bowyer/text';
import type { AnswerParts, AttemptStatus, Call, Tool } from './answer-parts.js';
import type { CallGrammarOptions } from './call-format.js';
import type { IncomingText, Reading } from './incoming-text.js';
import { isJsonObject, readJson, readJsonString, type JsonEnd } from './json-reading.js';

const ARGUMENTS = ['arguments', 'parameters'];

const STATUSES: Record<JsonEnd, AttemptStatus> = { value: 'ok', broken: 'invalid_json', unfinished: 'unclosed_block' };

/** Parses `{"name": …, "arguments" or "parameters": {…}, "id": …}` with members in any order; unknown members are skipped. */
export function* readJsonCall(input: IncomingText, call: Call): Reading<AttemptStatus> {
  if (!(yield* input.take('{'))) return wrong(input);
  const seen = new Set<string>();
  yield* input.skipSpace();
  while (!(yield* input.take('}'))) {
    if (seen.size > 0) {
      if (!(yield* input.take(','))) return wrong(input);
      yield* input.skipSpace();
    }
    const key = yield* readJsonString(input);
    if (typeof key === 'string') return STATUSES[key];
    yield* input.skipSpace();
    if (!(yield* input.take(':'))) return wrong(input);
    yield* input.skipSpace();
    const role = ARGUMENTS.includes(key.text) ? 'arguments' : key.text;
    if (seen.has(role)) return 'malformed_structure';
    seen.add(role);
    const failure = yield* readMember(role, input, call);
    if (failure !== null) return failure;
    yield* input.skipSpace();
  }
  if (call.name === null) return 'missing_name';
  if (!seen.has('arguments')) call.add('{}');
  return 'ok';
}

/**
 * Parses the calls of a JSON list whose opening bracket was already read, and the closing bracket.
 *
 * @param start the position where the text of the first call begins
 */
export function* readJsonCalls(input: IncomingText, parts: AnswerParts, start: number): Reading<void> {
  let from = start;
  do {
    yield* input.skipSpace();
    if ((yield* parts.attempt(input, readJsonCall, { from })) !== 'ok') return;
    from = input.at;
    yield* input.skipSpace();
  } while (yield* input.take(','));
  if (!(yield* input.take(']'))) input.at = from;
}

export function jsonCalls(
  tools: readonly Tool[],
  jsonArguments: CallGrammarOptions['jsonArguments'],
  parallel: boolean,
  separator = ', ',
): Grammar {
  const call = either(
    ...tools.map((tool) =>
      sequence(text(`{"name": ${JSON.stringify(tool.name)}, "arguments": `), jsonArguments(tool), text('}')),
    ),
  );
  return parallel ? sequence(call, repeat(sequence(text(separator), call), 0)) : call;
}

/** Returns the status with which the attempt fails; null if it continues. */
function* readMember(key: string, input: IncomingText, call: Call): Reading<AttemptStatus | null> {
  if (key === 'arguments') return yield* readArguments(input, call);
  const start = input.at;
  const end = yield* readJson(input);
  if (end !== 'value') return STATUSES[end];
  const value = JSON.parse(input.text.slice(start, input.at)) as unknown;
  if (key === 'name') return typeof value === 'string' ? call.named(value) : 'missing_name';
  if (key === 'id' && typeof value === 'string' && value !== '') call.id = value;
  return null;
}

/** Keeps the text of a JSON object. Models also write it as a JSON string, or null for no arguments. */
export function* readArguments(input: IncomingText, call: Call): Reading<AttemptStatus | null> {
  const first = yield* input.peek();
  if (first === '{') {
    const end = yield* readJson(input, (text) => call.add(text));
    return end === 'value' ? null : STATUSES[end];
  }
  const start = input.at;
  const end = yield* readJson(input);
  if (end !== 'value') return STATUSES[end];
  const value = JSON.parse(input.text.slice(start, input.at)) as unknown;
  const text = typeof value === 'string' ? value : input.text.slice(start, input.at);
  if (value !== null && !isJsonObject(text)) return 'malformed_structure';
  call.add(value === null ? '{}' : text);
  return null;
}

/** Returns the status of an attempt at a call that an unexpected character or the end of the answer interrupts. */
export const wrong = (input: IncomingText): AttemptStatus => (input.isOver ? 'unclosed_block' : 'invalid_json');
