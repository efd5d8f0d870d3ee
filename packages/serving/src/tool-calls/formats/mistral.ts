// Parses the tool calls of Mistral: a JSON list after `[TOOL_CALLS]` (up to version 7 of its tokenizers),
// `[TOOL_CALLS]f[CALL_ID]id[ARGS]{…}` (version 11) or `[TOOL_CALLS]f[ARGS]{…}` (version 13), in which each call begins with the
// marker `[TOOL_CALLS]`. One parser reads all versions. Source: the chat templates of Mistral 7B Instruct 0.3, Mistral Small 3.2
// and Devstral; their call ids have nine letters and digits.
import { characters, either, repeat, sequence, text, type Grammar } from '@bowyer/text';
import type { AnswerParts, AttemptStatus, Call, Tool } from '../answer-parts.js';
import { behindText, type CallFormat, type CallGrammarOptions } from '../call-format.js';
import type { IncomingText, Reading } from '../incoming-text.js';
import { jsonCalls, readArguments, readJsonCalls } from '../json-call.js';

const [CALLS, ID, ARGUMENTS] = ['[TOOL_CALLS]', '[CALL_ID]', '[ARGS]'];
const ID_LENGTH = 9;

const common = {
  marks: [CALLS, ID, ARGUMENTS],
  endMarks: [],
  argumentsAreJson: true,
  callsStandAlone: true,
  idPattern: /^[A-Za-z0-9]{9}$/,
  callId: (random: string) => random.slice(0, ID_LENGTH),
  read: readCalls,
  optional: behindText(CALLS),
};

export const mistral: CallFormat = {
  ...common,
  name: 'mistral',
  callsStandAlone: false,
  sign: /\[TOOL_CALLS\]\s*\[\s*\{[^[]*"probe_tool"/,
  grammar: (tools, { marks, parallel, jsonArguments }) =>
    sequence(marks.of(CALLS), text(' ['), jsonCalls(tools, jsonArguments, parallel), text(']')),
};

export const mistral11: CallFormat = {
  ...common,
  name: 'mistral-v11',
  sign: /\[TOOL_CALLS\]\s*probe_tool\s*\[CALL_ID\]/,
  grammar: (tools, options) => {
    const { marks } = options;
    const id = repeat(
      characters([
        ['a', 'z'],
        ['A', 'Z'],
        ['0', '9'],
      ]),
      ID_LENGTH,
      ID_LENGTH,
    );
    return namedCalls(tools, options, sequence(marks.of(ID), id));
  },
};

export const mistral13: CallFormat = {
  ...common,
  name: 'mistral-v13',
  sign: /\[TOOL_CALLS\]\s*probe_tool\s*(?:\[ARGS\])?\s*\{/,
  grammar: (tools, options) => namedCalls(tools, options, text('')),
};

function namedCalls(
  tools: readonly Tool[],
  { marks, parallel, jsonArguments }: CallGrammarOptions,
  id: Grammar,
): Grammar {
  const called = tools.map((tool) => sequence(text(tool.name), id, marks.of(ARGUMENTS), jsonArguments(tool)));
  const call = sequence(marks.of(CALLS), either(...called));
  return repeat(call, 1, parallel ? Infinity : 1);
}

function* readCalls(input: IncomingText, parts: AnswerParts): Reading<void> {
  while ((yield* input.takeUpTo([CALLS], parts.addText)) !== null) {
    const from = input.at;
    input.at += CALLS.length;
    yield* input.skipSpace();
    // If the next text is a second marker `[TOOL_CALLS]`, the first one was not followed by a list, and is text.
    const isList = !(yield* input.startsWith(CALLS)) && (yield* input.take('['));
    if (isList) yield* readJsonCalls(input, parts, from);
    else yield* parts.attempt(input, readNamed, { from });
  }
}

function* readNamed(input: IncomingText, call: Call): Reading<AttemptStatus> {
  const name = yield* input.takeWhile(/^[^\s[{]$/);
  const failure = call.named(name);
  if (failure !== null) return failure;
  if (yield* input.take(ID)) {
    let id = '';
    yield* input.takeUpTo([ARGUMENTS], (piece) => (id += piece));
    call.id = id.trim() || null;
  }
  yield* input.take(ARGUMENTS);
  yield* input.skipSpace();
  return (yield* readArguments(input, call)) ?? 'ok';
}
