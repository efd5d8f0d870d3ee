// Reads the calls of Llama 3.1 to 3.3: the message is `{"name": "f", "parameters": {…}}`, possibly after `<|python_tag|>`;
// several with `; ` between.
// Source: the chat templates of Llama 3.1 and 3.2.
import { characters, either, repeat, sequence, text } from '@bowyer/text';
import { longId, type CallFormat } from '../call-format.js';
import type { AnswerParts } from '../answer-parts.js';
import type { IncomingText, Reading } from '../incoming-text.js';
import { readJsonCall } from '../json-call.js';

const TAG = '<|python_tag|>';

/** The first characters of a text without calls. */
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

/** Reads a message; calls are only at its beginning. */
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
