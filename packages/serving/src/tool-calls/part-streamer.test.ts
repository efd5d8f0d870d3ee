// Tests how answers in each format of tool calls are split into reasoning, content and calls, complete and while they stream.
import type { AttemptStatus, Tool } from './answer-parts.js';
import { callFormats } from './call-formats.js';
import type { CallStyle } from './call-style.js';
import { PartStreamer, type PartsOptions } from './part-streamer.js';

const properties = { a: { type: 'integer' }, note: { type: 'string' }, maybe: { type: ['string', 'null'] } };
const tools: Tool[] = [
  { name: 'add', parameters: { type: 'object', properties }, strict: false },
  { name: 'f', parameters: null, strict: false },
];

const styleOf = (name: string, beforeCalls: string): CallStyle => ({
  format: callFormats.find((format) => format.name === name)!,
  writesCalls: true,
  emptyContent: '',
  takesContent: true,
  takesSeveral: true,
  needsEscapes: false,
  beforeCalls,
  afterReasoning: null,
});

const options = (format: string | null, startsInReasoning = false, beforeCalls = '\n'): PartsOptions => ({
  style: format === null ? null : styleOf(format, beforeCalls),
  startsInReasoning,
  tools,
  singleCall: false,
});

interface Expected {
  content: string;
  calls: [name: string, args: string][];
  reasoning: string;
  attempts: AttemptStatus[];
}
const parts = (content: string, calls: Expected['calls'] = [], more: Partial<Expected> = {}): Expected => ({
  content,
  calls,
  reasoning: '',
  attempts: calls.map(() => 'ok'),
  ...more,
});

const cases: [title: string, text: string, options: PartsOptions, expected: Expected][] = [
  ['a plain text', 'Hello {name}. ', options('hermes'), parts('Hello {name}. ')],
  ['reasoning', '<think>\nTwo.\n</think>\n\nIt is 2.', options(null), parts('It is 2.', [], { reasoning: 'Two.' })],
  ["Mistral's reasoning", '[THINK]Two.[/THINK]It is 2.', options(null), parts('It is 2.', [], { reasoning: 'Two.' })],
  [
    'reasoning that the prompt began',
    'Two.\n</think>\n\nIt is 2.',
    options(null, true),
    parts('It is 2.', [], { reasoning: 'Two.' }),
  ],
  ['reasoning without an end', '<think>Two', options('hermes'), parts('', [], { reasoning: 'Two' })],
  ['empty reasoning', '<think>\n\n</think>\n\nYes', options('hermes'), parts('Yes')],
  ['a mark within the text', 'a <think> b', options(null), parts('a <think> b')],
  [
    'a call within the reasoning is none',
    '<think><tool_call>{"name": "f"}</tool_call></think>Yes',
    options('hermes'),
    parts('Yes', [], { reasoning: '<tool_call>{"name": "f"}</tool_call>' }),
  ],
  [
    'Hermes: two calls after a text',
    'I add.\n<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
    options('hermes'),
    parts('I add.', [
      ['add', '{"a": 1}'],
      ['f', '{}'],
    ]),
  ],
  [
    'Hermes: text between calls and behind them is content',
    'A\n<tool_call>{"name": "f"}</tool_call>\nB\n<tool_call>{"name": "f"}</tool_call>\nC',
    options('hermes'),
    parts('A\nB\nC', [
      ['f', '{}'],
      ['f', '{}'],
    ]),
  ],
  [
    'Hermes: the text of the arguments stays as it is',
    '<tool_call>{"arguments":{ "a":1.0,"a": 12345678901234567890, "note":"\\u00e9\\/</tool_call>{"} ,"name":"add"}</tool_call>',
    options('hermes'),
    parts('', [['add', '{ "a":1.0,"a": 12345678901234567890, "note":"\\u00e9\\/</tool_call>{"}']]),
  ],
  [
    'Hermes: arguments as a text of JSON, and none',
    '<tool_call>{"name": "f", "arguments": "{\\"a\\": 1}"}</tool_call><tool_call>{"name": "f", "arguments": null}</tool_call>',
    options('hermes'),
    parts('', [
      ['f', '{"a": 1}'],
      ['f', '{}'],
    ]),
  ],
  [
    'Hermes: a call that the end of the text ends',
    '<tool_call>\n{"name": "add", "arguments": {"a": 1}}',
    options('hermes'),
    parts('', [['add', '{"a": 1}']]),
  ],
  ...(
    [
      ['invalid_json', 'x<tool_call>{"name": }</tool_call>'],
      ['missing_name', 'x \n<tool_call>{"arguments": {"a": 1}}</tool_call> y'],
      ['malformed_structure', '<tool_call>{"name": "f", "arguments": [1]}</tool_call>'],
      ['unknown_tool', '<tool_call>{"name": "g", "arguments": {"a": "<tool_call>"}}</tool_call>'],
      ['unclosed_block', '<tool_call>{"name": "f'],
    ] as const
  ).map(([status, text]): (typeof cases)[number] => [
    `Hermes: ${status} stays content`,
    text,
    options('hermes'),
    parts(text, [], { attempts: text.split('<tool_call>').length > 2 ? [status, 'invalid_json'] : [status] }),
  ]),
  [
    'Qwen 3.5: values by the schema',
    '<think>hm</think>\n\n<tool_call>\n<function=add>\n<parameter=a>\n12\n</parameter>\n<parameter=note>\n34\n</parameter>\n<parameter=other>\n[1]\n</parameter>\n</function>\n</tool_call>',
    options('qwen-xml'),
    parts('', [['add', '{"a": 12, "note": "34", "other": [1]}']], { reasoning: 'hm' }),
  ],
  [
    'Qwen 3.5: marks and line breaks within a text, and values of Python',
    '<tool_call>\n<function=add>\n<parameter=note>\n\na</parameter>\n</tool_call>\n<parameter=\n\n</parameter>\n<parameter=a>\nTrue\n</parameter>\n</function>\n</tool_call>',
    options('qwen-xml'),
    parts('', [['add', '{"note": "\\na</parameter>\\n</tool_call>\\n<parameter=\\n", "a": true}']]),
  ],
  [
    'Qwen 3.5: marks of another parameter within a line of a text; space around what looks like another type',
    '<tool_call>\n<function=add>\n<parameter=note>\n<</parameter><parameter=a>5\n</parameter>\n<parameter=maybe>\n\r\nnull\n</parameter>\n</function>\n</tool_call>',
    options('qwen-xml'),
    parts('', [['add', '{"note": "<</parameter><parameter=a>5", "maybe": "\\r\\nnull"}']]),
  ],
  [
    'Qwen 3.5: line breaks left out',
    '<tool_call><function=add><parameter=a>12</parameter><parameter=note>x</parameter></function></tool_call>',
    options('qwen-xml'),
    parts('', [['add', '{"a": 12, "note": "x"}']]),
  ],
  [
    'Qwen 3.5: nothing in the place of a number is no argument; zeros in front of a text stay',
    '<tool_call>\n<function=add>\n<parameter=a>\n\n</parameter>\n<parameter=maybe>\n007\n</parameter>\n</function>\n</tool_call>',
    options('qwen-xml'),
    parts('', [['add', '{"maybe": "007"}']]),
  ],
  [
    'Mistral: a list with an id',
    '[TOOL_CALLS] [{"name": "add", "arguments": {"a": 1}, "id": "abcdef012"}, {"name": "f", "arguments": {}}]',
    options('mistral'),
    parts('', [
      ['add', '{"a": 1}'],
      ['f', '{}'],
    ]),
  ],
  [
    'Mistral: names before arguments',
    'So.[TOOL_CALLS]add[ARGS]{"a": 1}[TOOL_CALLS]f[CALL_ID]abcdef012[ARGS]{}',
    options('mistral-v13'),
    parts('So.', [
      ['add', '{"a": 1}'],
      ['f', '{}'],
    ]),
  ],
  [
    'Mistral: a mark before that of a call is text',
    '[TOOL_CALLS][TOOL_CALLS]add[ARGS]{"a": 1}',
    options('mistral-v13'),
    parts('[TOOL_CALLS]', [['add', '{"a": 1}']], { attempts: ['missing_name', 'ok'] }),
  ],
  [
    'Mistral: text that is not a call',
    '[TOOL_CALLS]add',
    options('mistral'),
    parts('[TOOL_CALLS]add', [], { attempts: ['unclosed_block'] }),
  ],
  [
    'Llama 3: JSON that is not a call',
    ' {"answer": 2}',
    options('llama3'),
    parts(' {"answer": 2}', [], { attempts: ['missing_name'] }),
  ],
  ['Llama 3: text', ' So {', options('llama3'), parts(' So {')],
  [
    'LFM2: calls of Python',
    `I look.<|tool_call_start|>[add(a=1.50, note='it\\'s "x"\\n]'), f(b=[True, None, {'k': (1, 2)}], c={"d": false})]<|tool_call_end|>`,
    options('lfm2', false, ''),
    parts('I look.', [
      ['add', '{"a": 1.50, "note": "it\'s \\"x\\"\\n]"}'],
      ['f', '{"b": [true, null, {"k": [1, 2]}], "c": {"d": false}}'],
    ]),
  ],
  [
    'LFM2: numbers as Python has them, and one that it has not',
    '<|tool_call_start|>[f(a=+7, b=.5, c=5., d=-0, e=1e5), f(a=007)]<|tool_call_end|>',
    options('lfm2', false, ''),
    parts(', f(a=007)]<|tool_call_end|>', [['f', '{"a": 7, "b": 0.5, "c": 5.0, "d": -0, "e": 1e5}']], {
      attempts: ['ok', 'invalid_json'],
    }),
  ],
  [
    'LFM2: a call that is none behind one that is',
    '<|tool_call_start|>[f(), g(a=1)]<|tool_call_end|>',
    options('lfm2', false, ''),
    parts(', g(a=1)]<|tool_call_end|>', [['f', '{}']], { attempts: ['ok', 'unknown_tool'] }),
  ],
  [
    'harmony: reasoning, a preamble and a call',
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>I add.<|end|><|start|>assistant<|channel|>commentary to=functions.add <|constrain|>json<|message|>{"a":1}',
    options('harmony', false, ''),
    parts('I add.', [['add', '{"a":1}']], { reasoning: 'Hm.' }),
  ],
  [
    'harmony: the recipient before the channel',
    ' to=functions.f<|channel|>commentary json<|message|>{}<|call|>',
    options('harmony', false, ''),
    parts('', [['f', '{}']]),
  ],
  [
    'harmony: the final channel',
    '<|channel|>final<|message|>It is {2}.',
    options('harmony', false, ''),
    parts('It is {2}.'),
  ],
  ['harmony: text without a frame', 'It is 2.', options('harmony', false, ''), parts('It is 2.')],
  [
    'FunctionGemma: texts between marks, other values without',
    '<start_function_call>call:add{a:1.0,l:[<escape>x<escape>,true,{k:<escape>,}<escape>}],note:<escape>a<escape>b}<escape>}<end_function_call><start_function_call>call:f{}<end_function_call>',
    options('function-gemma', false, ''),
    parts('', [
      ['add', '{"a": 1.0, "l": ["x", true, {"k": ",}"}], "note": "a<escape>b}"}'],
      ['f', '{}'],
    ]),
  ],
];

test.each(cases)('%s', (_, text, given, expected) => {
  const { text: content, reasoning, calls, attempts } = wholeOf(text, given);
  expect({
    content,
    reasoning,
    calls: calls.map(({ name, arguments: args }) => [name, args]),
    attempts: attempts.map(({ status }) => status),
  }).toEqual(expected);
  // The text arrives in chunks of several sizes: what was sent of reasoning, content and calls only grows, and is complete at the
  // end.
  for (let size = 1; size <= 7; size += 3) {
    const { sent, whole } = inPieces(text, given, size);
    expect({ content: sent.content, reasoning: sent.reasoning }).toEqual({ content: whole.text, reasoning });
    expect(sent.calls.map(({ name, args }) => [name, args.join('')])).toEqual(
      whole.calls.map(({ name, arguments: args }) => [name, args]),
    );
    // A stream cannot revoke a call that turns out to be incomplete; apart from such calls, it gives the same result as a
    // complete text.
    if (attempts.every(({ status }) => status !== 'malformed_structure')) expect(whole.text).toBe(content);
  }
});

function wholeOf(text: string, given: PartsOptions) {
  const streamer = new PartStreamer(given, false);
  streamer.add(text, true);
  return streamer.whole;
}

function inPieces(text: string, given: PartsOptions, size: number) {
  const streamer = new PartStreamer(given, true);
  const sent = { content: '', reasoning: '', calls: [] as { name: string; id: string; args: string[] }[] };
  for (let from = 0; from < text.length; from += size) {
    const piece = streamer.add(text.slice(from, from + size), from + size >= text.length);
    sent.content += piece?.text ?? '';
    sent.reasoning += piece?.reasoning ?? '';
    for (const { index, id, name, arguments: args } of piece?.calls ?? []) {
      sent.calls[index] ??= { name, id, args: [] };
      expect(sent.calls[index]).toMatchObject({ name, id });
      sent.calls[index].args.push(args);
    }
  }
  return { sent, whole: streamer.whole };
}

test('arguments arrive in pieces while they are written, of JSON as the text and of others as the values', () => {
  const json = '<tool_call>{"name": "add", "arguments": {"a": 1, "note": "abc"}}</tool_call>';
  const [call] = inPieces(json, options('hermes'), 4).sent.calls;
  expect(call.args.length).toBeGreaterThan(4);
  const python = "<|tool_call_start|>[add(a=1, note='abc')]<|tool_call_end|>";
  expect(inPieces(python, options('lfm2'), 1).sent.calls[0].args).toEqual(['{"a": 1', ', "note": "abc"}']);
});

test('long arguments have a bounded number of pieces', () => {
  const text = `<tool_call>{"name": "f", "arguments": {"a": "${'x'.repeat(100_000)}"}}</tool_call>`;
  const [{ args }] = inPieces(text, options('hermes'), 1).sent.calls;
  expect(args.join('').length).toBe(100_009);
  expect(args.length).toBeLessThan(4_000);
});

test('a call that breaks off is one in a stream, and text in a whole answer', () => {
  const text = '<tool_call>{"name": "f", "arguments": {"a": 1';
  const { sent, whole } = inPieces(text, options('hermes'), 5);
  expect(sent).toMatchObject({ content: '', calls: [{ name: 'f' }] });
  expect(whole.attempts).toEqual([{ status: 'unclosed_block', name: 'f', start: 0, end: text.length }]);
  expect(wholeOf(text, options('hermes'))).toMatchObject({ text, calls: [] });
});

test('with a single call the others are left out', () => {
  const text = '{"name": "add", "parameters": {}}; {"name": "f", "parameters": {}}';
  expect(wholeOf(text, { ...options('llama3'), singleCall: true }).calls).toMatchObject([{ index: 0, name: 'add' }]);
});

test('with a single call what follows its end is not read, and whether something was left out is known', () => {
  const call = (name: string) => `<tool_call>\n{"name": "${name}", "arguments": {}}\n</tool_call>`;
  const over = (format: string, text: string) => {
    const streamer = new PartStreamer({ ...options(format), singleCall: true }, true);
    let read = 0;
    while (read < text.length && !streamer.isOver) streamer.add(text[read++], false);
    const { isOver } = streamer;
    streamer.add(text.slice(read), true);
    const { text: content, calls, isShortened } = streamer.whole;
    return { isOver, read, content, calls: calls.map(({ name }) => name), isShortened };
  };
  const one = { isOver: true, read: call('f').length, content: '', calls: ['f'], isShortened: false };
  expect(over('hermes', call('f'))).toEqual(one);
  expect(over('hermes', `${call('f')}\n`)).toEqual(one);
  expect(over('hermes', `${call('f')}\n${call('add')}`)).toEqual({ ...one, isShortened: true });
  expect(over('hermes', `${call('f')} So.`)).toEqual({ ...one, isShortened: true });
  // With a list of calls, the answer is read up to the closing bracket, even if only one call is allowed.
  const list = (...names: string[]) =>
    `[TOOL_CALLS] [${names.map((name) => `{"name": "${name}", "arguments": {}}`).join(', ')}]`;
  for (const names of [['f'], ['f', 'add']])
    expect(over('mistral', list(...names))).toMatchObject({
      isOver: false,
      calls: ['f'],
      isShortened: names.length > 1,
    });
});

test('the id that the text has is the call’s', () => {
  const text = '[TOOL_CALLS][{"name": "f", "arguments": {}, "id": "abcdef012"}, {"name": "f"}]';
  expect(wholeOf(text, options('mistral')).calls.map(({ id }) => id)).toEqual([
    'abcdef012',
    expect.stringMatching(/^[a-z0-9]{9}$/),
  ]);
});
