// FunctionGemma: `<start_function_call>call:f{k:<escape>text<escape>,n:1}<end_function_call>`; keys are in alphabetical order.
// Source: the chat template of FunctionGemma; ai.google.dev/gemma/docs/functiongemma.
import { characters, either, repeat, rule, sequence, text, textWithout, type Grammar } from '@bowyer/text';
import type { AnswerParts, AttemptStatus, Call, Tool } from '../answer-parts.js';
import { behindText, longId, type CallFormat, type CallGrammarOptions } from '../call-format.js';
import { argumentsOf, boundedText, type ArgumentWriter, type Values } from '../grammar-values.js';
import type { IncomingText, Reading } from '../incoming-text.js';
import { MOST_LEVELS } from '../../http/json-nesting.js';
import type { Schema } from '../schemas.js';
import { plainValue } from '../typed-value.js';

const [START, END, ESCAPE] = ['<start_function_call>', '<end_function_call>', '<escape>'];

export const functionGemma: CallFormat = {
  name: 'function-gemma',
  sign: /<start_function_call>call:probe_tool\{x:1\}<end_function_call>/,
  marks: [START, END, ESCAPE],
  endMarks: ['<start_function_response>'],
  argumentsAreJson: false,
  callsStandAlone: true,
  callId: longId,
  read: readCalls,
  optional: behindText(START),
  grammar: gemmaCalls,
};

function* readCalls(input: IncomingText, parts: AnswerParts): Reading<void> {
  while ((yield* input.takeUpTo([START], parts.addText)) !== null) yield* parts.attempt(input, readCall);
}

function* readCall(input: IncomingText, call: Call): Reading<AttemptStatus> {
  yield* input.take(START);
  if (!(yield* input.take('call:'))) return wrong(input);
  const name = yield* input.takeWhile(/^[^\s{}<]$/);
  if (!(yield* input.startsWith('{'))) return wrong(input);
  const failure = call.named(name);
  if (failure !== null) return failure;
  const status = yield* readObject(input, 0, (json) => call.add(json));
  if (status !== null) return status;
  const end = input.at;
  yield* input.skipSpace();
  if (!(yield* input.take(END))) input.at = end;
  return 'ok';
}

const wrong = (input: IncomingText): AttemptStatus =>
  input.isWhole && input.at >= input.text.length ? 'unclosed_block' : 'malformed_structure';

/** The container of a value: the arguments, an object among them, or a list. */
type Place = 'arguments' | 'object' | 'list';

/** Reads an object. @param pass called with the JSON of each member once it is complete. @returns the status that ends the attempt */
function* readObject(input: IncomingText, depth: number, pass: (json: string) => void): Reading<AttemptStatus | null> {
  input.at++;
  let count = 0;
  while (!(yield* input.take('}'))) {
    if (count > 0 && !(yield* input.take(','))) return wrong(input);
    const key = yield* readKey(input);
    if (key === null) return wrong(input);
    const value = yield* readValue(input, depth, depth === 0 ? 'arguments' : 'object');
    if (!('json' in value)) return value.status;
    pass(`${count++ === 0 ? '{' : ', '}${JSON.stringify(key)}: ${value.json}`);
  }
  pass(count === 0 ? '{}' : '}');
  return null;
}

function* readKey(input: IncomingText): Reading<string | null> {
  if (!(yield* input.startsWith(ESCAPE))) {
    const key = yield* input.takeWhile(/^[^:{}]$/);
    return (yield* input.take(':')) ? key : null;
  }
  const key = yield* readText(input, (rest) => follows(rest, /^:/));
  return key !== null && (yield* input.take(':')) ? key : null;
}

type Value = { json: string } | { status: AttemptStatus };

function* readValue(input: IncomingText, depth: number, place: Place): Reading<Value> {
  if (depth > MOST_LEVELS) return { status: 'malformed_structure' };
  if (yield* input.startsWith(ESCAPE)) {
    const text = yield* readText(input, (rest) => follows(rest, AFTER_TEXT[place]));
    return text === null ? { status: 'unclosed_block' } : { json: JSON.stringify(text) };
  }
  const first = yield* input.peek();
  if (first === '{') {
    let json = '';
    const status = yield* readObject(input, depth + 1, (piece) => (json += piece));
    return status === null ? { json } : { status };
  }
  if (first === '[') return yield* readList(input, depth);
  const raw = yield* input.takeWhile(/^[^,}\]]$/);
  if ((yield* input.peek()) === '') return { status: 'unclosed_block' };
  return { json: plainValue(raw) };
}

function* readList(input: IncomingText, depth: number): Reading<Value> {
  input.at++;
  const items: string[] = [];
  while (!(yield* input.take(']'))) {
    if (items.length > 0 && !(yield* input.take(','))) return { status: wrong(input) };
    const item = yield* readValue(input, depth + 1, 'list');
    if (!('json' in item)) return item;
    items.push(item.json);
  }
  return { json: `[${items.join(', ')}]` };
}

/** The characters that may follow the end of a text; a closing mark before anything else belongs to the text. */
const AFTER_TEXT: Record<Place, RegExp> = {
  arguments: /^(?:,[^\s:,{}<>[\]]+:|\}\s*(?:<end_function_call>|$))/,
  object: /^(?:,(?:<escape>|[^\s:,{}<>[\]]+:)|\}[,}\]])/,
  list: /^(?:,|\][,}\]])/,
};

/** The number of characters after a text that are searched for a key, which is never longer. */
const LOOKAHEAD = 80;

/** Returns whether the rest of the text matches; undefined while it is too short to decide. */
function follows({ text, isWhole }: { text: string; isWhole: boolean }, pattern: RegExp): boolean | undefined {
  if (!isWhole && text.length < LOOKAHEAD) return text !== '' && pattern.test(`${text}\0`) ? true : undefined;
  return pattern.test(text);
}

/** Reads a text between two marks; null if it does not end. */
function* readText(
  input: IncomingText,
  ends: (rest: { text: string; isWhole: boolean }) => boolean | undefined,
): Reading<string | null> {
  yield* input.take(ESCAPE);
  const start = input.at;
  for (;;) {
    if ((yield* input.takeUpTo([ESCAPE])) === null) return null;
    const end = input.at;
    input.at += ESCAPE.length;
    let isEnd: boolean | undefined;
    while (
      (isEnd = ends({ text: input.text.slice(input.at, input.at + LOOKAHEAD), isWhole: input.isWhole })) === undefined
    )
      yield;
    if (isEnd) return input.text.slice(start, end);
    input.at = end + 1;
  }
}

/** Returns the grammar of `call:f{k:<escape>v<escape>,n:1}` between marks, with keys in alphabetical order. */
function gemmaCalls(tools: readonly Tool[], { marks, parallel }: CallGrammarOptions): Grammar {
  const between = (content: Grammar) => sequence(marks.of(ESCAPE), content, marks.of(ESCAPE));
  const noMark = characters([['<', '<']], true);
  const writer: ArgumentWriter = {
    keys: (keys) => [...keys].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    member: (key, value) => sequence(text(`${key}:`), value),
    separator: ',',
    string: (schema) => between(boundedText(schema, noMark) ?? textWithout(ESCAPE)),
    constant: (value) => (typeof value === 'string' ? between(text(value)) : text(JSON.stringify(value))),
    boolean: ['true', 'false'],
    nothing: 'null',
    nested: (schema, values) => nestedValue(schema, values, between),
  };
  const call = either(
    ...tools.map((tool) => sequence(text(`call:${tool.name}{`), argumentsOf(tool, writer), text('}'))),
  );
  return repeat(sequence(marks.of(START), call, marks.of(END)), 1, parallel ? Infinity : 1);
}

/** Returns the grammar of a list or an object, whose keys are texts between marks. */
function nestedValue(schema: Schema, values: Values, between: (content: Grammar) => Grammar): Grammar {
  if (schema.type === 'object') {
    const member = (key: string, value: Grammar) => sequence(between(text(key)), text(':'), value);
    return sequence(text('{'), values.members(schema, '#', member, ','), text('}'));
  }
  const item = rule(() => values.value(schema.items ?? {}, '#/items'));
  const { minItems = 0, maxItems = Infinity } = schema as { minItems?: number; maxItems?: number };
  if (maxItems === 0) return text('[]');
  const some = sequence(item, repeat(sequence(text(','), item), Math.max(0, minItems - 1), maxItems - 1));
  return sequence(text('['), minItems > 0 ? some : either(text(''), some), text(']'));
}
