// Tests earlier calls and results as templates of each format write them, also unusual ones.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { earlierArguments } from '@bowyer/conversations';
import { chatTemplate, type ChatMessage } from '@bowyer/text';
import { callFormats } from '../src/tool-calls/call-formats.js';
import { callStyle } from '../src/tool-calls/call-style.js';
import { messagesFor } from '../src/tool-calls/history.js';
import { withMarks } from './round-trips.js';

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const { definition } = JSON.parse(readFileSync(path('../../text/test/tokenizer-fixtures/gpt2.json'), 'utf8')) as {
  definition: Record<string, unknown>;
};
const tokenizer = withMarks(
  definition,
  callFormats.flatMap(({ marks, endMarks }) => [...marks, ...endMarks]),
);
const user: ChatMessage = { role: 'user', content: 'Go.' };

/** Returns the dialogue after its first message, as the template of a format writes it. */
function written(form: string, messages: readonly ChatMessage[]): string {
  const template = chatTemplate(readFileSync(path(`call-templates/${form}.jinja`), 'utf8'), tokenizer);
  const style = callStyle(template, tokenizer)!;
  const text = (some: readonly ChatMessage[]) => {
    const ids = template.encodePrompt(messagesFor(style, some));
    return tokenizer.decode(ids, { keepSpecialTokens: true });
  };
  const whole = text([user, ...messages]);
  return whole.slice(whole.indexOf('Go.') + 3);
}

const call = (args: unknown, id = 'call_1', name = 'f') => ({
  type: 'function',
  id,
  function: { name, arguments: earlierArguments(args) },
});
const calling = (...args: unknown[]): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: args.map((each, i) => call(each, `call_${i + 1}`)),
});
const result = (id: string, content: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content });

test.each([
  ['', '{}'],
  ['null', '{}'],
  [null, '{}'],
  [undefined, '{}'],
  ['{}', '{}'],
  ['{"a":1,"b":[2]}', '{"a": 1, "b": [2]}'], // as programs write it: the template's layout
  ['{"a":1.0,"b":[2]}', '{"a": 1.0, "b": [2]}'],
  ['{"a": 12345678901234567890}', '{"a": 12345678901234567890}'],
  ['{"a": "\\u00e9\\/"}', '{"a": "\\u00e9\\/"}'],
  [{ a: 1, b: 'x' }, '{"a": 1, "b": "x"}'],
  ['[1]', '[1]'],
  ['{"a": 1', '{"a": 1'],
  ['no JSON', 'no JSON'],
])('arguments %j are written as %s', (args, json) => {
  expect(written('hermes', [calling(args)])).toContain(`"arguments": ${json}}\n</tool_call>`);
});

test('arguments that a format cannot write are one argument', () => {
  expect(written('qwen-xml', [calling('[1')])).toContain('<function=f>\n<parameter=arguments>\n[1\n</parameter>\n');
  expect(written('qwen-xml', [calling('')])).toContain('<function=f>\n</function>');
  expect(written('lfm2', [calling('no')])).toContain("[f(arguments='no')]");
});

test('a template whose messages have one call is given the calls one by one, each with its result', () => {
  const messages = [calling('{"a": 1}', '{"a": 2}'), result('call_2', 'two'), result('call_1', 'one')];
  expect(written('llama3', messages).split('<|eot_id|>').slice(1, 5)).toEqual([
    '<|start_header_id|>assistant<|end_header_id|>\n\n{"name": "f", "parameters": {"a": 1}}',
    '<|start_header_id|>ipython<|end_header_id|>\n\n"one"',
    '<|start_header_id|>assistant<|end_header_id|>\n\n{"name": "f", "parameters": {"a": 2}}',
    '<|start_header_id|>ipython<|end_header_id|>\n\n"two"',
  ]);
});

test('several results of a turn stay in the order in which they came', () => {
  const messages = [calling('{}', '{}'), result('call_2', 'two'), result('call_1', 'one')];
  expect(written('hermes', messages)).toMatch(/two[^]*one/);
});

test('content beside calls, where a template takes none, is a message before them', () => {
  const message = { ...calling('{}'), content: 'I look.' };
  expect(written('llama3', [message])).toMatch(/assistant<\|end_header_id\|>\n\nI look\.<\|eot_id\|>[^]*\{"name": "f"/);
});

test('gpt-oss: content and reasoning beside a call are its one message of analysis', () => {
  const message = { ...calling('{}'), content: 'I look.', reasoning_content: 'Hm.' };
  expect(written('harmony', [message, result('call_1', 'one')])).toContain(
    '<|start|>assistant<|channel|>analysis<|message|>Hm.\n\nI look.<|end|><|start|>assistant to=functions.f<|channel|>commentary json<|message|>{}<|call|><|start|>functions.f to=assistant',
  );
});

test('Mistral: ids of other forms become nine letters and digits, the same for a call and its result', () => {
  const text = written('mistral', [calling('{}'), result('call_1', 'one')]);
  const id = /"id": "([a-z0-9]{9})"/.exec(text)![1];
  expect(text).toContain(`"call_id": "${id}"`);
  const own = { ...calling('{}'), tool_calls: [call('{}', 'Abcdef012')] };
  expect(written('mistral', [own])).toContain('"id": "Abcdef012"');
});

test('DeepSeek: arguments are text', () => {
  expect(written('deepseek-v3', [calling({ a: [1, { b: null }] })])).toContain('```json\n{"a": [1, {"b": null}]}\n```');
  expect(written('deepseek-v3', [calling('{"a":1}')])).toContain('```json\n{"a":1}\n```');
});

test('LFM2: a template that leaves calls out has them in the content', () => {
  const message = { ...calling('{"s": "it\'s", "n": 1.0, "l": [true, {"k": null}]}'), content: 'I look.' };
  expect(written('lfm2', [message])).toContain(
    "I look.<|tool_call_start|>[f(s='it\\'s', n=1.0, l=[True, {'k': None}])]<|tool_call_end|>",
  );
});

test('a result is given the name of its function, and one without its call is left to the template', () => {
  expect(written('function-gemma', [calling('{}'), result('call_1', 'one')])).toContain('response:f{value:');
  expect(written('hermes', [result('call_9', 'lost')])).toContain('<tool_response>\nlost\n</tool_response>');
  expect(() => written('function-gemma', [result('call_9', 'lost')])).toThrow('it refuses these messages');
});
