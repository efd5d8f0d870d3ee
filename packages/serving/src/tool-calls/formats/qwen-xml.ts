// Qwen 3 Coder, Qwen 3.5 and later, Nemotron 3:
// `<tool_call>\n<function=f>\n<parameter=k>\nvalue\n</parameter>\n</function>\n</tool_call>`. Values are texts without quotation
// marks or escapes, so that the end of a value can be recognized only from the text after it. Source: the chat templates of Qwen
// 3 Coder and 3.5.
import { characters, either, repeat, sequence, text, textWithout, type Grammar } from '@bowyer/text';
import type { AttemptStatus, Call, Tool } from '../answer-parts.js';
import { behindText, longId, type CallFormat, type CallGrammarOptions } from '../call-format.js';
import { argumentsOf, boundedText, type ArgumentWriter } from '../grammar-values.js';
import type { IncomingText, Reading } from '../incoming-text.js';
import { typedValue } from '../typed-value.js';
import { readBlocks } from './hermes.js';

const [CALL, END_OF_CALL] = ['<tool_call>', '</tool_call>'];
const [FUNCTION, END_OF_FUNCTION] = ['<function=', '</function>'];
const [PARAMETER, END_OF_PARAMETER] = ['<parameter=', '</parameter>'];

export const qwenXml: CallFormat = {
  name: 'qwen-xml',
  sign: /<tool_call>\s*<function=probe_tool>/,
  marks: [CALL, END_OF_CALL],
  endMarks: [],
  argumentsAreJson: false,
  callsStandAlone: true,
  callId: longId,
  read: (input, parts) => readBlocks(input, parts, readFunction),
  optional: behindText(CALL),
  grammar: parameterCalls,
};

function* readFunction(input: IncomingText, call: Call): Reading<AttemptStatus> {
  if (!(yield* input.take(FUNCTION))) return unfinished(input) ? 'unclosed_block' : 'malformed_structure';
  const name = yield* readName(input);
  if (name === null) return 'unclosed_block';
  const failure = call.named(name);
  if (failure !== null) return failure;
  const keys = new Set<string>();
  let count = 0;
  call.add('{');
  for (;;) {
    yield* input.skipSpace();
    if ((yield* input.take(END_OF_FUNCTION)) || (yield* input.startsWith(END_OF_CALL))) break;
    if (!(yield* input.take(PARAMETER))) return unfinished(input) ? 'unclosed_block' : 'malformed_structure';
    const key = yield* readName(input);
    if (key === null) return 'unclosed_block';
    keys.add(key);
    const value = yield* readValue(input, keys);
    if (value === null) return 'unclosed_block';
    const json = typedValue(value, key, call.tool?.parameters ?? null);
    if (json !== null) call.add(`${count++ > 0 ? ', ' : ''}${JSON.stringify(key)}: ${json}`);
  }
  call.add('}');
  return 'ok';
}

const unfinished = (input: IncomingText): boolean => input.isWhole && input.at >= input.text.length;

/** Reads up to the bracket that closes a tag; null if the answer ends before it. */
function* readName(input: IncomingText): Reading<string | null> {
  let name = '';
  const mark = yield* input.takeUpTo(['>'], (text) => (name += text));
  input.at += mark === null ? 0 : 1;
  return mark && name.trim();
}

/** Reads a value; null if it does not end. */
function* readValue(input: IncomingText, keys: ReadonlySet<string>): Reading<string | null> {
  const start = input.at;
  for (;;) {
    const mark = yield* input.takeUpTo([END_OF_PARAMETER]);
    if (mark === null) return cutValue(input, start);
    const end = input.at;
    input.at += mark.length;
    // A value has a line break at both ends, as in the template, or at neither.
    if (input.text[start] === '\n' && input.text[end - 1] !== '\n') continue;
    if (yield* endsHere(input, keys)) return withoutLineBreaks(input.text.slice(start, end));
  }
}

/**
 * Returns whether the mark just read ends a value: if another parameter or the function's end follows. Otherwise it belongs to a
 * text.
 */
function* endsHere(input: IncomingText, keys: ReadonlySet<string>): Reading<boolean> {
  const end = input.at;
  yield* input.skipSpace();
  let ends = false;
  if (yield* input.take(PARAMETER)) {
    const key = yield* readName(input);
    ends = key !== null && !keys.has(key);
  } else if (yield* input.take(END_OF_FUNCTION)) {
    yield* input.skipSpace();
    ends = unfinished(input) || (yield* input.startsWith(END_OF_CALL));
  }
  input.at = end;
  return ends;
}

/** Reads a value without a closing mark, which ends before the next mark; this is known only when the answer has ended. */
function cutValue(input: IncomingText, start: number): string | null {
  const rest = input.text.slice(start);
  const end = /<\/parameter>|\n<parameter=|\s*<\/function>|\s*<\/tool_call>/.exec(rest);
  if (end === null) return null;
  input.at = start + end.index + (end[0] === END_OF_PARAMETER ? end[0].length : 0);
  return withoutLineBreaks(rest.slice(0, end.index));
}

const withoutLineBreaks = (value: string): string => value.replace(/^\n/, '').replace(/\n$/, '');

/** Returns the grammar of `<tool_call>\n<function=f>\n<parameter=k>\nv\n</parameter>\n</function>\n</tool_call>`. */
function parameterCalls(tools: readonly Tool[], { marks, parallel }: CallGrammarOptions): Grammar {
  const noMark = characters([['<', '<']], true);
  const writer: ArgumentWriter = {
    member: (key, value) => sequence(text(`<parameter=${key}>\n`), value, text('\n</parameter>\n')),
    separator: '',
    string: (schema) => boundedText(schema, noMark) ?? textWithout('\n</parameter>'),
    constant: (value) => text(typeof value === 'string' ? value : JSON.stringify(value)),
    boolean: ['true', 'false'],
    nothing: 'null',
  };
  const called = tools.map((tool) =>
    sequence(text(`\n<function=${tool.name}>\n`), argumentsOf(tool, writer), text('</function>\n')),
  );
  const call = sequence(marks.of('<tool_call>'), either(...called), marks.of('</tool_call>'));
  return parallel ? sequence(call, repeat(sequence(text('\n'), call), 0)) : call;
}
