// Hermes, Qwen 2.5 and 3: `<tool_call>\n{"name": "f", "arguments": {…}}\n</tool_call>`, several with a line break between.
// Source: the chat templates of Hermes 2 Pro and Qwen 3.
import { either, repeat, sequence, text } from '@bowyer/text';
import type { AnswerParts, AttemptStatus, Call } from '../answer-parts.js';
import { behindText, longId, type CallFormat } from '../call-format.js';
import type { IncomingText, Reading } from '../incoming-text.js';
import { readJsonCall } from '../json-call.js';

const [CALL, END] = ['<tool_call>', '</tool_call>'];

export const hermes: CallFormat = {
  name: 'hermes',
  sign: /<tool_call>\s*\{\s*"name":\s*"probe_tool",\s*"arguments"/,
  marks: [CALL, END],
  endMarks: [],
  argumentsAreJson: true,
  callsStandAlone: true,
  callId: longId,
  read: (input, parts) => readBlocks(input, parts, readJsonCall),
  optional: behindText(CALL),
  grammar: (tools, { marks, parallel, jsonArguments }) => {
    const called = tools.map((tool) =>
      sequence(text(`\n{"name": ${JSON.stringify(tool.name)}, "arguments": `), jsonArguments(tool), text('}\n')),
    );
    const call = sequence(marks.of(CALL), either(...called), marks.of(END));
    return parallel ? sequence(call, repeat(sequence(text('\n'), call), 0)) : call;
  },
};

/** Reads calls between <tool_call> and </tool_call>; the last one may lack its end. Other text is content. */
export function* readBlocks(
  input: IncomingText,
  parts: AnswerParts,
  read: (input: IncomingText, call: Call) => Reading<AttemptStatus>,
): Reading<void> {
  while ((yield* input.takeUpTo([CALL], parts.addText)) !== null)
    yield* parts.attempt(input, (from, call) => readBlock(from, call, read), { recover });
}

function* readBlock(
  input: IncomingText,
  call: Call,
  read: (input: IncomingText, call: Call) => Reading<AttemptStatus>,
): Reading<AttemptStatus> {
  yield* input.take(CALL);
  yield* input.skipSpace();
  const status = yield* read(input, call);
  if (status !== 'ok') return status;
  const end = input.at;
  yield* input.skipSpace();
  if (!(yield* input.take(END))) input.at = end;
  return 'ok';
}

/** Skips the rest of a block up to its end, or to the beginning of the next. */
function* recover(input: IncomingText): Reading<void> {
  if ((yield* input.takeUpTo([END, CALL])) === END) yield* input.take(END);
}
