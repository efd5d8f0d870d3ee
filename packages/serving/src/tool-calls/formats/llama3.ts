// Parses the tool calls of Llama 3.1 to 3.3: the whole message is `{"name": "f", "parameters": {…}}`, possibly after
// `<|python_tag|>`, and several calls have `; ` between them. Source: the chat templates of Llama 3.1 and 3.2.
import { characters, either, repeat, sequence, text } from '@bowyer/text';
import { longId, type CallFormat } from '../call-format.js';
import type { AnswerParts } from '../answer-parts.js';
import type { IncomingText, Reading } from '../incoming-text.js';
import { readJsonCall } from '../json-call.js';

const TAG = '<|python_tag|>';

/** The characters with which an answer without calls may begin. */
const otherCharacter = characters(
  [
    ['{', '{'],
    ['<', '<'],
    [' ', ' '],
    ['\t', '\r'],
  ],
  true,
);

export const llama3: CallFormat = {
  name: 'llama3',
  sign: /(?<![^|]>\s*)\{\s*"name":\s*"probe_tool",\s*"parameters"/,
  marks: [TAG],
  endMarks: ['<|eom_id|>'],
  argumentsAreJson: true,
  callsStandAlone: true,
  callId: longId,
  read: readMessage,
  optional: (calls) => either(calls, text(''), sequence(otherCharacter, repeat(characters([], true), 0))),
  grammar: (tools, { parallel, jsonArguments }) => {
    const call = either(
      ...tools.map((tool) =>
        sequence(text(`{"name": ${JSON.stringify(tool.name)}, "parameters": `), jsonArguments(tool), text('}')),
      ),
    );
    return parallel ? sequence(call, repeat(sequence(text('; '), call), 0)) : call;
  },
};

/** Parses a message; only its beginning can be calls. */
function* readMessage(input: IncomingText, parts: AnswerParts): Reading<void> {
  let from = input.at;
  yield* input.skipSpace();
  yield* input.take(TAG);
  yield* input.skipSpace();
  let isCall = (yield* input.peek()) === '{';
  while (isCall && (yield* parts.attempt(input, readJsonCall, { from })) === 'ok') {
    from = input.at;
    yield* input.skipSpace();
    const hasSeparator = yield* input.take(';');
    yield* input.skipSpace();
    isCall = hasSeparator && (yield* input.peek()) === '{';
    if (!isCall) parts.addText(input.text.slice(from, input.at));
  }
  if (parts.attempts.length === 0) parts.addText(input.text.slice(from, input.at));
  yield* input.takeUpTo([], parts.addText);
}
