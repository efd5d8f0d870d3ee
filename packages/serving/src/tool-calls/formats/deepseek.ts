// Parses the tool calls of DeepSeek V3 and R1:
// `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{…}\n```<｜tool▁call▁end｜>`, several with a line break
// between, then `<｜tool▁calls▁end｜>`. V3.1 has the name before the separator and only JSON after it. Kimi K2 has the form of V3.1
// with other markers, and with the call's id, such as `functions.f:0`, in place of its name.
// Source: the chat templates of DeepSeek V3 0324 and V3.1, and of Kimi K2.
import { characters, either, repeat, sequence, text, type Grammar } from '@bowyer/text';
import type { AnswerParts, AttemptStatus, Call, Tool } from '../answer-parts.js';
import { behindText, longId, wrongStructure, type CallFormat, type CallGrammarOptions } from '../call-format.js';
import type { IncomingText, Reading } from '../incoming-text.js';
import { readArguments } from '../json-call.js';

/** The markers around all calls, around one call, and between its name and its arguments. */
interface Marks {
  readonly calls: readonly [start: string, end: string];
  readonly call: readonly [start: string, separator: string, end: string];
}

const DEEPSEEK: Marks = {
  calls: ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'],
  call: ['<｜tool▁call▁begin｜>', '<｜tool▁sep｜>', '<｜tool▁call▁end｜>'],
};
const KIMI: Marks = {
  calls: ['<|tool_calls_section_begin|>', '<|tool_calls_section_end|>'],
  call: ['<|tool_call_begin|>', '<|tool_call_argument_begin|>', '<|tool_call_end|>'],
};
const FENCE = '```';

const common = (marks: Marks) => ({
  marks: [...marks.calls, ...marks.call],
  endMarks: [],
  argumentsAreJson: true,
  callsStandAlone: false,
  callId: longId,
  read: (input: IncomingText, parts: AnswerParts) => readCalls(input, parts, marks),
  optional: behindText(marks.calls[0]),
});

export const deepseekV3: CallFormat = {
  ...common(DEEPSEEK),
  name: 'deepseek-v3',
  sign: /<｜tool▁call▁begin｜>function<｜tool▁sep｜>probe_tool\n```json/,
  grammar: (tools, options) =>
    calls(options, DEEPSEEK, '\n', tools, ({ name }, json) =>
      sequence(
        text('function'),
        options.marks.of(DEEPSEEK.call[1]),
        text(`${name}\n${FENCE}json\n`),
        json,
        text(`\n${FENCE}`),
      ),
    ),
};

export const deepseekV31: CallFormat = {
  ...common(DEEPSEEK),
  name: 'deepseek-v3.1',
  sign: /<｜tool▁call▁begin｜>probe_tool<｜tool▁sep｜>\{/,
  grammar: (tools, options) =>
    calls(options, DEEPSEEK, '', tools, ({ name }, json) =>
      sequence(text(name), options.marks.of(DEEPSEEK.call[1]), json),
    ),
};

/** The pattern of Kimi K2's call ids, which contain the name of the tool. */
const KIMI_ID = /^functions\.(.+):\d+$/s;

export const kimiK2: CallFormat = {
  ...common(KIMI),
  name: 'kimi-k2',
  // The template writes either an id that it makes itself, or the id in the example dialogue, `abcdef012`.
  sign: /<\|tool_call_begin\|>(?:functions\.probe_tool:\d+|abcdef012)<\|tool_call_argument_begin\|>\{/,
  grammar: (tools, options) =>
    calls(options, KIMI, '', tools, ({ name }, json) => {
      const index = repeat(characters([['0', '9']]), 1, 3);
      return sequence(text(`functions.${name}:`), index, options.marks.of(KIMI.call[1]), json);
    }),
};

function calls(
  { marks, parallel, jsonArguments }: CallGrammarOptions,
  { calls: [begin, endOfCalls], call: [start, , end] }: Marks,
  between: string,
  tools: readonly Tool[],
  body: (tool: Tool, json: Grammar) => Grammar,
): Grammar {
  const bodies = either(...tools.map((tool) => body(tool, jsonArguments(tool))));
  const call = sequence(marks.of(start), bodies, marks.of(end));
  const further = parallel ? repeat(sequence(text(between), call), 0) : text('');
  return sequence(marks.of(begin), call, further, marks.of(endOfCalls));
}

function* readCalls(input: IncomingText, parts: AnswerParts, marks: Marks): Reading<void> {
  const {
    calls: [begin, end],
    call: [start],
  } = marks;
  for (;;) {
    const mark = yield* input.takeUpTo([begin, start, end], parts.addText);
    if (mark === null) return;
    const from = input.at;
    if (mark === end && parts.calls.length > 0) input.at += mark.length;
    else if (mark === end) parts.addText(input.text.slice(input.at, (input.at += mark.length)));
    else {
      if (yield* input.take(begin)) yield* input.skipSpace();
      yield* parts.attempt(input, (rest, call) => readCall(rest, call, marks), { from });
    }
  }
}

function* readCall(input: IncomingText, call: Call, marks: Marks): Reading<AttemptStatus> {
  const {
    calls: [begin],
    call: [start, separator, end],
  } = marks;
  if (!(yield* input.take(start))) return wrongStructure(input);
  let name = '';
  const mark = yield* input.takeUpTo([separator, end, begin, start], (piece) => (name += piece));
  if (mark !== separator) return wrongStructure(input);
  input.at += separator.length;
  if (marks === KIMI) {
    call.id = name.trim();
    name = KIMI_ID.exec(call.id)?.[1] ?? '';
    yield* input.skipSpace();
  } else if ((yield* input.peek()) !== '{') {
    name = yield* input.takeWhile(/^[^\s<]$/); // the text before the separator was `function`, the kind of the tool
    yield* input.skipSpace();
    yield* input.take(`${FENCE}json`);
    yield* input.skipSpace();
  }
  const failure = call.named(name.trim()) ?? (yield* readArguments(input, call));
  if (failure !== null) return failure;
  const at = input.at;
  yield* input.skipSpace();
  yield* input.take(FENCE);
  yield* input.skipSpace();
  if (!(yield* input.take(end))) input.at = at;
  return 'ok';
}
