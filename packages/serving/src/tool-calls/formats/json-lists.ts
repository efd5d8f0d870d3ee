// Parses tool calls that are a list of JSON objects between markers: `<tool_calls>[{"name": "f", "arguments": {…}},
// …]</tool_calls>` (Apriel), `<TOOLCALL>[…]</TOOLCALL>` (Nemotron Nano 2), ` functools[…]` (FireFunction); and those of GigaChat,
// whose answers have one call, `<|function_call|>{…}`. Source: the chat templates of these models.
import { sequence, text } from '@bowyer/text';
import { behindText, longId, type CallFormat } from '../call-format.js';
import { jsonCalls, readJsonCall, readJsonCalls } from '../json-call.js';
import { readBlocks } from './hermes.js';

const common = { endMarks: [], argumentsAreJson: true, callsStandAlone: false, callId: longId };

export const apriel = jsonList('apriel', '<tool_calls>', '</tool_calls>');
export const nemotron = jsonList('nemotron', '<TOOLCALL>', '</TOOLCALL>');
export const functools = jsonList('functools', ' functools', '');

function jsonList(name: string, start: string, end: string): CallFormat {
  return {
    ...common,
    name,
    sign: new RegExp(String.raw`${start}\s*\[\{"name": "probe_tool", "arguments": `),
    marks: [start, end].filter((mark) => mark !== '' && mark.trim() === mark),
    *read(input, parts) {
      while ((yield* input.takeUpTo([`${start}[`], parts.addText)) !== null) {
        const from = input.at;
        input.at += start.length + 1;
        yield* readJsonCalls(input, parts, from);
        if (parts.attempts.at(-1)!.status !== 'ok') continue;
        const at = input.at;
        yield* input.skipSpace();
        if (!(yield* input.take(end))) input.at = at;
      }
    },
    optional: behindText(`${start}[`),
    grammar: (tools, { marks, parallel, jsonArguments }) =>
      sequence(marks.of(start), text('['), jsonCalls(tools, jsonArguments, parallel), text(']'), marks.of(end)),
  };
}

const FUNCTION_CALL = '<|function_call|>';

export const gigachat: CallFormat = {
  ...common,
  name: 'gigachat',
  sign: /<\|function_call\|>\{"name": "probe_tool", "arguments"/,
  marks: [FUNCTION_CALL],
  callsStandAlone: true,
  read: (input, parts) => readBlocks(input, parts, readJsonCall, [FUNCTION_CALL, '<|message_sep|>']),
  optional: behindText(FUNCTION_CALL),
  grammar: (tools, { marks, jsonArguments }) =>
    sequence(marks.of(FUNCTION_CALL), jsonCalls(tools, jsonArguments, false)),
};
