// A byte-level BPE tokenizer for the dialogues of one agent, with which a dialogue is 40 to 150 tokens long.
import { bytePairTokenizer } from '../../../benchmarks/clients/model/byte-pairs.js';
import type { Message } from './example.js';
import type { Dialogue } from './scripted-endpoint.js';

/** Those before the fourth are not part of a text. */
const specials = ['<pad>', '<|im_start|>', '<|im_end|>', '<tool_call>', '</tool_call>'];

/**
 * Digits and spaces stand alone, so that a number or a word is copied as the same tokens wherever it stands, and what the template and
 * JSON write around the values of a call is one token each; words are merged bytes.
 */
export function tokenizerOf(dialogues: readonly Dialogue[]): object {
  const texts = dialogues.flatMap(({ messages, tools = [] }) => [
    ...messages.flatMap(({ content, tool_calls = [] }) => [content, ...tool_calls.flatMap(valuesOf)]),
    ` ${tools.map((tool) => tool.function.name).join(' ')}`,
  ]);
  const calls = dialogues.flatMap(({ messages }) => messages.flatMap(({ tool_calls = [] }) => tool_calls));
  const scaffold = [...new Set([...written, ...calls.flatMap(scaffoldOf)])];
  const words = texts.flatMap((text) => text.match(/\p{L}+|[^\s\p{L}\p{N}]+/gu) ?? []);
  const made = bytePairTokenizer(words, [...specials, ...scaffold], 400);
  const pattern = { Regex: String.raw`\p{L}+|\p{N}|[^\s\p{L}\p{N}]+|\s+` };
  const split = { type: 'Split', pattern, behavior: 'Isolated', invert: false };
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
  return { ...made, pre_tokenizer: { type: 'Sequence', pretokenizers: [split, byteLevel] } };
}

const written = [
  'system\n',
  'user\n',
  'assistant\n',
  '\n<tools>',
  ' </tools>',
  '<tool_response>\n',
  '\n</tool_response>',
];

type Call = NonNullable<Message['tool_calls']>[number];

/** The text between a call's values, as the template writes it. */
function scaffoldOf({ function: { name, arguments: args } }: Call): string[] {
  const keys = Object.keys(JSON.parse(args) as object);
  const before = keys.map((key, i) => `${i === 0 ? '' : '", '}"${key}": "`);
  const begin = `\n{"name": "${name}", "arguments": {`;
  return keys.length === 0 ? [`${begin}}}\n`] : [begin + before[0], ...before.slice(1), '"}}\n'];
}

const valuesOf = ({ function: { arguments: args } }: Call): string[] =>
  Object.values(JSON.parse(args) as object).map(String);
