// Parses the tool calls of Hermes, Qwen 2.5 and 3: `<tool_call>\n{"name": "f", "arguments": {…}}\n</tool_call>`, several with a
// line break between them. Source: the chat templates of Hermes 2 Pro and Qwen 3.
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

/**
 * Parses calls between an opening and a closing marker, of which the last closing one may be missing; all other text is content.
 *
 * @param further the text with which another call in the same pair of markers begins; null if a pair contains only one call
 */
export function* readBlocks(
  input: IncomingText,
  parts: AnswerParts,
  read: (input: IncomingText, call: Call) => Reading<AttemptStatus>,
  [start, end]: readonly [start: string, end: string] = [CALL, END],
  further: string | null = null,
): Reading<void> {
  const isFurther = function* (from: IncomingText): Reading<boolean> {
    return further !== null && (yield* from.startsWith(further));
  };
  const readBlock = function* (from: IncomingText, call: Call): Reading<AttemptStatus> {
    yield* from.take(start);
    yield* from.skipSpace();
    const status = yield* read(from, call);
    if (status !== 'ok') return status;
    const at = from.at;
    yield* from.skipSpace();
    if (!(yield* from.take(end)) && !(yield* isFurther(from))) from.at = at;
    return 'ok';
  };
  /** Skips the text of a failed call up to and including its closing marker, or up to the next opening one. */
  const recover = function* (from: IncomingText): Reading<void> {
    if ((yield* from.takeUpTo([end, start])) === end) yield* from.take(end);
  };
  while ((yield* input.takeUpTo([start], parts.addText)) !== null) {
    let status: AttemptStatus;
    do status = yield* parts.attempt(input, readBlock, { recover });
    while (status === 'ok' && (yield* isFurther(input)));
  }
}
