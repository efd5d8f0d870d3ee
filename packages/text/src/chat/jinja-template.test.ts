import { readFileSync } from 'node:fs';
import { compareRecording, inputsOf, type Recording } from '../../test/chat-fixtures/compare-recording.js';
import { HuggingFaceTokenizer } from '../tokenizers/tokenizer.js';
import type { ChatMessage, EncodedConversation } from './chat-message.js';
import { writtenJson } from '../jinja/written-json.js';
import { chatTemplate } from './chat-template.js';
import { JinjaTemplate } from './jinja-template.js';

const file = new URL('../../test/chat-fixtures/recorded.json', import.meta.url);
const recording = JSON.parse(readFileSync(file, 'utf8')) as Recording;
const tokenizer = new HuggingFaceTokenizer(recording.tokenizer, recording.config);
const named = (name: string) =>
  new JinjaTemplate(recording.templates[name], tokenizer, { variables: recording.config });

test.each(compareRecording(recording))('$name: texts, tokens and masks are those of transformers', (found) => {
  expect(found.differences).toEqual([]);
  expect(found.compared).toBeGreaterThanOrEqual(2 * Object.keys(recording.conversations).length);
});

const taught = (examples: readonly EncodedConversation[]) =>
  examples.flatMap(({ ids, lossMask }) => {
    const starts = lossMask.flatMap((mask, i) => (mask === 1 && lossMask[i - 1] !== 1 ? [i] : []));
    return starts.map((start) => {
      const end = lossMask.indexOf(0, start);
      return { before: ids.slice(0, start), reply: ids.slice(start, end < 0 ? undefined : end) };
    });
  });

const thinks: ChatMessage[] = [
  { role: 'user', content: 'a' },
  { role: 'assistant', content: '<think>\none\n</think>\n\nb', reasoning_content: 'one' },
  { role: 'user', content: 'c' },
  { role: 'assistant', content: '<think>\ntwo\n</think>\n\nd', reasoning_content: 'two' },
  { role: 'tool', content: 'e' },
  { role: 'assistant', content: '<think>\nthree\n</think>\n\nf', reasoning_content: 'three' },
  { role: 'user', content: 'g' },
];

test.each([
  [
    'forgets-thoughts',
    thinks.map((m) => (m.role === 'assistant' ? { ...m, content: (m.content as string).at(-1)! } : m)),
    2,
    (thought: string, said: string) => `${thought}\n</think>\n\n${said}<|end|>\n`,
  ],
  ['opens-thoughts', thinks, 3, (thought: string, said: string) => `${thought}\n</think>\n\n${said}<|end|>`],
] as const)(
  '%s: each reply is learnt after the very tokens it is asked with when served',
  (name, messages, count, written) => {
    const template = named(name);
    const examples = template.encodeConversation(messages);
    expect(examples).toHaveLength(count);
    const replies = taught(examples);
    [1, 3, 5].forEach((turn, i) => {
      expect(replies[i].before).toEqual(template.encodePrompt(messages.slice(0, turn)));
      // The trained reply consists of the tokens that the model samples, and its end token.
      const [thought, said] = [['one', 'two', 'three'][i], 'bdf'[i]];
      expect(tokenizer.decode(replies[i].reply, { keepSpecialTokens: true })).toBe(written(thought, said));
    });
    const some = template.encodeConversation(messages.map((m, i) => (i === 3 ? { ...m, loss: false } : m)));
    expect(taught(some).map(({ before }) => before)).toEqual([replies[0].before, replies[2].before]);
  },
);

test.each(Object.keys(recording.templates))('%s: training’s tokens before a reply are those of serving', (name) => {
  const template = named(name);
  if (template.hasGenerationBlocks) return; // the template itself marks what is learnt
  for (const conversation of Object.values(recording.conversations)) {
    const inputs = inputsOf(conversation);
    let examples: EncodedConversation[];
    try {
      examples = template.encodeConversation(conversation.messages, inputs);
    } catch {
      continue; // the template refuses the conversation
    }
    const prompts = conversation.messages.flatMap(({ role }, i) =>
      role === 'assistant' ? [template.encodePrompt(conversation.messages.slice(0, i), inputs)] : [],
    );
    for (const { before } of taught(examples)) expect(prompts).toContainEqual(before);
  }
});

test('what a template opens and the message does not have is reported', () => {
  const messages: ChatMessage[] = [thinks[0], { role: 'assistant', content: 'b' }];
  expect(() => named('opens-thoughts').encodeConversation(messages)).toThrow(
    'Chat template: it asks for message 1 with "<think>\\n", but writes it as "b<|end|>"\n',
  );
});

test('loss false: a block is of the message whose loop it is in', () => {
  const messages: ChatMessage[] = thinks.slice(0, 4).map((m, i) => (i === 1 ? { ...m, loss: false } : m));
  const [example] = named('marked-tools').encodeConversation(messages);
  const learnt = tokenizer.decode(
    taught([example]).flatMap(({ reply }) => reply),
    { keepSpecialTokens: true },
  );
  expect(learnt).toBe('<think>two</think><think>\ntwo\n</think>\n\nd<|end|>');
  const outside = chatTemplate('{% generation %}{{ messages[1].content }}{% endgeneration %}', tokenizer);
  expect(() => outside.encodeConversation(messages)).toThrow('it is not clear to which message it belongs');
});

test('a tokenizer’s templates have names; dialogues with tools take tool_use', () => {
  const several = new HuggingFaceTokenizer(recording.tokenizer, {
    chat_template: [
      { name: 'default', template: 'D{{ tools }}' },
      { name: 'tool_use', template: 'T{{ tools | length }}' },
      { name: 'rag', template: 'R{{ documents[0].text }}{{ style }}' },
    ],
  });
  const text = (name: string | null, inputs = {}, variables = {}) =>
    several.decode(chatTemplate(name, several, { variables }).encodePrompt(thinks, inputs));
  expect(text(null)).toBe('DNone');
  expect(text(null, { tools: [{}] })).toBe('T1');
  expect(text('rag', { documents: [{ text: 'x' }] }, { style: '!' })).toBe('Rx!');
  expect(text('rag', { documents: [{ text: 'x' }], variables: { style: '?' } }, { style: '!' })).toBe('Rx?');
  expect(() => text('vicuna')).toThrow('llama2_bc, tools; the tokenizer has default, tool_use, rag');
});

test('a prompt is written in a step for each message, with the tokens of one that is written at once', () => {
  const template = named(Object.keys(recording.templates)[0]);
  const messages = Array.from({ length: 100 }, (_, i) => thinks[i % 2]);
  const steps = template.writePromptInSteps(messages);
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  expect(count).toBeGreaterThanOrEqual(100);
  expect(step.value()).toEqual(template.encodePrompt(messages));
});

test('built-in templates refuse what they have no place for', () => {
  const template = chatTemplate('chatglm4', { ...tokenizer, encode: () => [], tokenToId: () => 0 } as never);
  const refuses = (messages: ChatMessage[], inputs = {}) =>
    expect(() => template.encodePrompt(messages, inputs)).toThrow.bind(
      expect(() => template.encodePrompt(messages, inputs)),
    );
  refuses([{ role: 'tool', content: '1' }])("'chatglm4' has no role 'tool'\n");
  refuses([{ role: 'assistant', content: '', tool_calls: [{}] }])("has no place for a message's tool_calls\n");
  refuses([{ role: 'user', content: 'a' }], { tools: [{}] })("'chatglm4' has no place for tools\n");
  expect(() => chatTemplate('chatml', tokenizer, { variables: { a: 1 } })).toThrow("'chatml' has no variable 'a'\n");
});

test('a template that joins the arguments of calls to a text gets them as a text, one that prints JSON as they are', () => {
  const withCalls = (argumentsText: string) => {
    const call = `{{ call.function.name + ' ' + ${argumentsText} }}`;
    const source = `{% for m in messages %}{% for call in m.tool_calls or [] %}${call}{% endfor %}{% endfor %}`;
    return (given: unknown) => {
      const calls = [{ function: { name: 'f', arguments: given } }];
      const messages = [{ role: 'assistant', content: null, tool_calls: calls }] as unknown as ChatMessage[];
      return new JinjaTemplate(source, tokenizer, { variables: {} }).render(messages, {}, false).text;
    };
  };
  const joins = withCalls('call.function.arguments');
  expect(joins({ a: ['b', 1.5] })).toBe('f {"a": ["b", 1.5]}');
  expect(joins(writtenJson('{ "a": 1.0 }'))).toBe('f { "a": 1.0 }');
  expect(joins(writtenJson('{"a":1}'))).toBe('f {"a":1}');
  expect(joins('{}')).toBe('f {}');
  expect(withCalls('call.function.arguments | tojson')({ a: 1 })).toBe('f {"a": 1}');
  expect(() => withCalls('call.function.arguments + 1')({})).toThrow('str + dict has no meaning');
});
