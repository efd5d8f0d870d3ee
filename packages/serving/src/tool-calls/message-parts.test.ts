// Parts of assistants' messages in each format, whole and piece by piece.
import { messageParts, type CallFormat, type MessageParts, type PartsOptions } from './message-parts.js';
import { PartStreamer } from './part-streamer.js';

const schemas = { add: { a: { type: 'integer' }, note: { type: 'string' } } };
const options = (format: CallFormat | null, startsInReasoning = false): PartsOptions => ({
  format,
  startsInReasoning,
  schemas,
});
const call = (name: string, args: object) => ({ name, arguments: JSON.stringify(args) });
const parts = (content: string, calls: MessageParts['calls'] = [], reasoning = ''): MessageParts => ({
  content,
  calls,
  reasoning,
});

const cases: [title: string, text: string, options: PartsOptions, expected: MessageParts][] = [
  ['a plain text', 'Hello {name}.', options('hermes'), parts('Hello {name}.')],
  ['reasoning', '<think>\nTwo.\n</think>\n\nIt is 2.', options(null), parts('It is 2.', [], 'Two.')],
  ['reasoning that the prompt began', 'Two.\n</think>\n\nIt is 2.', options(null, true), parts('It is 2.', [], 'Two.')],
  ['reasoning without an end', '<think>Two', options('hermes'), parts('', [], 'Two')],
  ['empty reasoning', '<think>\n\n</think>\n\nYes', options('hermes'), parts('Yes')],
  ['a mark within the text', 'a <think> b', options(null), parts('a <think> b')],
  [
    'Hermes: two calls after a text',
    'I add.\n<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
    options('hermes'),
    parts('I add.', [call('add', { a: 1 }), call('f', {})]),
  ],
  [
    'Hermes: a call that the end of the text ends',
    '<tool_call>\n{"name": "add", "arguments": {"a": 1}}',
    options('hermes'),
    parts('', [call('add', { a: 1 })]),
  ],
  [
    'Hermes: text that is not a call stays content',
    'x<tool_call>{"name": }</tool_call>',
    options('hermes'),
    parts('x<tool_call>{"name": }</tool_call>'),
  ],
  [
    'Qwen 3.5: values by the schema',
    '<think>hm</think>\n\n<tool_call>\n<function=add>\n<parameter=a>\n12\n</parameter>\n<parameter=note>\n34\n</parameter>\n<parameter=other>\n[1]\n</parameter>\n</function>\n</tool_call>',
    options('qwen-xml'),
    parts('', [call('add', { a: 12, note: '34', other: [1] })], 'hm'),
  ],
  [
    'Mistral: a list',
    '[TOOL_CALLS][{"name": "add", "arguments": {"a": 1}}, {"name": "f", "arguments": {}}]',
    options('mistral'),
    parts('', [call('add', { a: 1 }), call('f', {})]),
  ],
  [
    'Mistral: names before arguments',
    'So.[TOOL_CALLS]add[ARGS]{"a": 1}[TOOL_CALLS]f{}',
    options('mistral'),
    parts('So.', [call('add', { a: 1 }), call('f', {})]),
  ],
  ['Mistral: text that is not a call', '[TOOL_CALLS]add', options('mistral'), parts('[TOOL_CALLS]add')],
  [
    'Llama 3: parameters',
    '<|python_tag|>{"name": "add", "parameters": {"a": 1}}; {"name": "f", "parameters": {}}',
    options('llama3'),
    parts('', [call('add', { a: 1 }), call('f', {})]),
  ],
  ['Llama 3: JSON that is not a call', '{"answer": 2}', options('llama3'), parts('{"answer": 2}')],
];

test.each(cases)('%s', (_, text, given, expected) => {
  expect(messageParts(text, given, true)).toEqual(expected);
  // In pieces of every size: each part only grows, and ends as the whole.
  for (let size = 1; size <= 7; size += 3) {
    const streamer = new PartStreamer({ ...given, singleCall: false });
    const sent = { content: '', reasoning: '', calls: [] as object[] };
    for (let from = 0; from < text.length; from += size) {
      const piece = streamer.add(text.slice(from, from + size), from + size >= text.length);
      sent.content += piece?.text ?? '';
      sent.reasoning += piece?.reasoning ?? '';
      sent.calls.push(...(piece?.calls ?? []).map(({ name, arguments: args }) => ({ name, arguments: args })));
    }
    expect(sent).toEqual(expected);
  }
});

test('with a single call the others are left out', () => {
  const streamer = new PartStreamer({ ...options('llama3'), singleCall: true });
  const text = '{"name": "add", "parameters": {}}; {"name": "f", "parameters": {}}';
  expect(streamer.add(text, true)?.calls).toMatchObject([{ index: 0, name: 'add' }]);
});
