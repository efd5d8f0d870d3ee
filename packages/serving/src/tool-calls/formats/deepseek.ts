// DeepSeek V3 and R1: `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{…}\n```<｜tool▁call▁end｜>`,
// several with a line break between, then `<｜tool▁calls▁end｜>`. V3.1 has the name before the separator and only JSON after it.
// Source: the chat templates of DeepSeek V3 0324 and V3.1.
import { either, repeat, sequence, text, type Grammar } from '@bowyer/text';
import type { AnswerParts, AttemptStatus, Call, Tool } from '../answer-parts.js';
import { behindText, longId, type CallFormat, type CallGrammarOptions } from '../call-format.js';
import type { IncomingText, Reading } from '../incoming-text.js';
import { readArguments } from '../json-call.js';

const [CALLS, END_OF_CALLS] = ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'];
const [CALL, SEPARATOR, END] = ['<｜tool▁call▁begin｜>', '<｜tool▁sep｜>', '<｜tool▁call▁end｜>'];
const FENCE = '```';

const common = {
  marks: [CALLS, END_OF_CALLS, CALL, SEPARATOR, END],
  endMarks: [],
  argumentsAreJson: true,
  callsStandAlone: false,
  callId: longId,
  read: readCalls,
  optional: behindText(CALLS),
};

export const deepseekV3: CallFormat = {
  ...common,
  name: 'deepseek-v3',
  sign: /<｜tool▁call▁begin｜>function<｜tool▁sep｜>probe_tool\n```json/,
  grammar: (tools, options) =>
    calls(options, '\n', tools, ({ name }, json) =>
      sequence(
        text('function'),
        options.marks.of(SEPARATOR),
        text(`${name}\n${FENCE}json\n`),
        json,
        text(`\n${FENCE}`),
      ),
    ),
};

export const deepseekV31: CallFormat = {
  ...common,
  name: 'deepseek-v3.1',
  sign: /<｜tool▁call▁begin｜>probe_tool<｜tool▁sep｜>\{/,
  grammar: (tools, options) =>
    calls(options, '', tools, ({ name }, json) => sequence(text(name), options.marks.of(SEPARATOR), json)),
};

function calls(
  { marks, parallel, jsonArguments }: CallGrammarOptions,
  between: string,
  tools: readonly Tool[],
  body: (tool: Tool, json: Grammar) => Grammar,
): Grammar {
  const bodies = either(...tools.map((tool) => body(tool, jsonArguments(tool))));
  const call = sequence(marks.of(CALL), bodies, marks.of(END));
  const further = parallel ? repeat(sequence(text(between), call), 0) : text('');
  return sequence(marks.of(CALLS), call, further, marks.of(END_OF_CALLS));
}

function* readCalls(input: IncomingText, parts: AnswerParts): Reading<void> {
  for (;;) {
    const mark = yield* input.takeUpTo([CALLS, CALL, END_OF_CALLS], parts.addText);
    if (mark === null) return;
    const from = input.at;
    if (mark === END_OF_CALLS && parts.calls.length > 0) input.at += mark.length;
    else if (mark === END_OF_CALLS) parts.addText(input.text.slice(input.at, (input.at += mark.length)));
    else {
      if (yield* input.take(CALLS)) yield* input.skipSpace();
      yield* parts.attempt(input, readCall, { from });
    }
  }
}

function* readCall(input: IncomingText, call: Call): Reading<AttemptStatus> {
  if (!(yield* input.take(CALL))) return wrong(input);
  let name = '';
  const mark = yield* input.takeUpTo([SEPARATOR, END, CALLS, CALL], (piece) => (name += piece));
  if (mark !== SEPARATOR) return wrong(input);
  input.at += SEPARATOR.length;
  if ((yield* input.peek()) !== '{') {
    name = yield* input.takeWhile(/^[^\s<]$/); // the first text was the tool's kind
    yield* input.skipSpace();
    yield* input.take(`${FENCE}json`);
    yield* input.skipSpace();
  }
  const failure = call.named(name.trim()) ?? (yield* readArguments(input, call));
  if (failure !== null) return failure;
  const end = input.at;
  yield* input.skipSpace();
  yield* input.take(FENCE);
  yield* input.skipSpace();
  if (!(yield* input.take(END))) input.at = end;
  return 'ok';
}

const wrong = (input: IncomingText): AttemptStatus =>
  input.isWhole && input.at >= input.text.length ? 'unclosed_block' : 'malformed_structure';
