// Parses the tool calls of LFM2, which are Python calls in a list: `<|tool_call_start|>[f(a='x', b=1), g()]<|tool_call_end|>`.
// The template of LFM2 does not write the calls of earlier messages, which are therefore put into the messages' content. Source:
// the chat templates of LFM2 and LFM2.5.
import { characters, either, repeat, sequence, text, type Grammar } from '@bowyer/text';
import type { AnswerParts, AttemptStatus, Call, Tool } from '../answer-parts.js';
import { behindText, longId, wrongStructure, type CallFormat, type CallGrammarOptions } from '../call-format.js';
import { argumentsOf, boundedText, type ArgumentWriter } from '../grammar-values.js';
import type { IncomingText, Reading } from '../incoming-text.js';
import { readLiteral } from '../python-reading.js';
import { quoted, writeCalls } from '../python-writing.js';

const [START, END] = ['<|tool_call_start|>', '<|tool_call_end|>'];

/** The characters of tool and argument names, including those that Python's names cannot have. */
const NAME = /^[\p{L}\p{M}\p{N}_.-]$/u;

export const lfm2: CallFormat = {
  name: 'lfm2',
  sign: /<\|tool_call_start\|>\[probe_tool\(x=1/,
  promptSign: /List of tools: <\|tool_list_start\|>/,
  marks: [START, END],
  endMarks: [],
  argumentsAreJson: false,
  callsStandAlone: false,
  callId: longId,
  read: readLists,
  optional: behindText(START),
  escaped: (content) => quoted(content).slice(1, -1),
  write: (calls) => `${START}[${writeCalls(calls)}]${END}`,
  grammar: pythonCalls,
};

function* readLists(input: IncomingText, parts: AnswerParts): Reading<void> {
  while ((yield* input.takeUpTo([START], parts.addText)) !== null) {
    let from = input.at;
    input.at += START.length;
    yield* input.skipSpace();
    yield* input.take('[');
    do {
      yield* input.skipSpace();
      if ((yield* parts.attempt(input, readCall, { from })) !== 'ok') break;
      from = input.at;
      yield* input.skipSpace();
    } while (yield* input.take(','));
    if (parts.attempts.at(-1)!.status === 'ok') yield* readEnd(input, from);
  }
}

function* readEnd(input: IncomingText, from: number): Reading<void> {
  const hasBracket = yield* input.take(']');
  yield* input.skipSpace();
  if (!(yield* input.take(END)) && !hasBracket) input.at = from;
}

function* readCall(input: IncomingText, call: Call): Reading<AttemptStatus> {
  const name = yield* input.takeWhile(NAME);
  yield* input.skipSpace();
  if (!(yield* input.take('('))) return wrongStructure(input);
  const failure = call.named(name);
  if (failure !== null) return failure;
  let count = 0;
  yield* input.skipSpace();
  while (!(yield* input.take(')'))) {
    const argument = yield* readArgument(input, count++ === 0);
    if (typeof argument === 'string') return argument;
    call.add(argument.json);
  }
  call.add(count === 0 ? '{}' : '}');
  return 'ok';
}

function* readArgument(input: IncomingText, isFirst: boolean): Reading<AttemptStatus | { json: string }> {
  const key = yield* input.takeWhile(NAME);
  yield* input.skipSpace();
  if (key === '' || !(yield* input.take('='))) return wrongStructure(input);
  yield* input.skipSpace();
  const value = yield* readLiteral(input);
  if (value === 'unfinished') return 'unclosed_block';
  if (value === 'broken') return 'invalid_json';
  yield* input.skipSpace();
  if (yield* input.take(',')) yield* input.skipSpace();
  else if (!(yield* input.startsWith(')'))) return wrongStructure(input);
  return { json: `${isFirst ? '{' : ', '}${JSON.stringify(key)}: ${value.json}` };
}

/** Returns the grammar of `[f(a='x', b=1), g()]` between markers. */
function pythonCalls(tools: readonly Tool[], { marks, parallel }: CallGrammarOptions): Grammar {
  const plain = characters(
    [
      ["'", "'"],
      ['\\', '\\'],
      ['\n', '\n'],
      ['\r', '\r'],
    ],
    true,
  );
  const one = either(plain, ...["\\'", '\\\\', '\\n', '\\r', '\\t'].map((escape) => text(escape)));
  const writer: ArgumentWriter = {
    member: (key, value) => sequence(text(`${key}=`), value),
    separator: ', ',
    string: (schema) => sequence(text("'"), boundedText(schema, one) ?? repeat(one, 0), text("'")),
    constant: (value) =>
      text(typeof value === 'string' ? quoted(value) : (PYTHON[String(value)] ?? JSON.stringify(value))),
    boolean: ['True', 'False'],
    nothing: 'None',
  };
  const call = either(...tools.map((tool) => sequence(text(`${tool.name}(`), argumentsOf(tool, writer), text(')'))));
  const further = parallel ? repeat(sequence(text(', '), call), 0) : text('');
  return sequence(marks.of(START), text('['), call, further, text(']'), marks.of(END));
}

const PYTHON: Record<string, string> = { true: 'True', false: 'False', null: 'None' };
