import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { builtInSources } from './built-in-sources.js';
import { templateMarks, type BuiltInTemplate } from './built-in-templates.js';
import type { ChatMessage } from './chat-message.js';
import { chatTemplate, templateSource } from './chat-template.js';
import { JinjaTemplate } from './jinja-template.js';

const names = Object.keys(builtInSources) as BuiltInTemplate[];

const talks: ChatMessage[][] = [
  [{ role: 'user', content: 'a b' }],
  [
    { role: 'system', content: 'be brief' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a ' },
        { type: 'text', text: 'b' },
      ],
    },
    { role: 'assistant', content: 'c d \n' },
    { role: 'user', content: 'e' },
    { role: 'assistant', content: 'f' },
  ],
  [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
    { role: 'user', content: 'c' },
  ],
];

/** Makes a tokenizer whose tokens are single characters and the special texts of the template. */
function tokenizerOf(name: BuiltInTemplate): Tokenizer {
  const marks = [...templateMarks[name], '<|observation|>', '<|endoftext|>'];
  const first = 0x200000;
  return {
    encode: (text: string) => Array.from(text, (char) => char.codePointAt(0)!),
    decode: (ids: readonly number[]) => ids.map((id) => marks[id - first] ?? String.fromCodePoint(id)).join(''),
    tokenToId: (token: string) => (marks.includes(token) ? first + marks.indexOf(token) : undefined),
  } as unknown as Tokenizer;
}

test.each(names)('%s as Jinja writes the text whose tokens the built-in template writes', (name) => {
  const tokenizer = tokenizerOf(name);
  const builtIn = chatTemplate(name, tokenizer);
  const jinja = new JinjaTemplate(builtInSources[name], tokenizer, { variables: {} });
  const text = (ids: readonly number[]) => tokenizer.decode(ids, { keepSpecialTokens: true });
  for (const talk of talks) {
    expect(jinja.render(talk, {}, true).text).toBe(text(builtIn.encodePrompt(talk)));
    const [{ ids }] = builtIn.encodeConversation(talk);
    expect(jinja.render(talk, {}, false).text).toBe(text(ids));
  }
});

test.each(names)('a folder that keeps %s has the built-in template', (name) => {
  const tokenizer = tokenizerOf(name);
  const kept: Tokenizer = { ...tokenizer, config: { chat_template: templateSource(name, tokenizer) } };
  expect(chatTemplate(null, kept).constructor).toBe(chatTemplate(name, tokenizer).constructor);
  expect(chatTemplate(null, kept).encodePrompt(talks[1])).toEqual(chatTemplate(name, tokenizer).encodePrompt(talks[1]));
});

test('what a template’s name stands for', () => {
  const config = { chat_template: { default: '{{ 1 }}', rag: '{{ 2 }}' } };
  expect(templateSource(null, { config })).toBeNull();
  expect(templateSource('rag', { config })).toBe('{{ 2 }}');
  expect(templateSource('{{ 3 }}', { config })).toBe('{{ 3 }}');
  expect(templateSource('tools', {})).toContain('<tool_call>');
  expect(templateSource('llama-2', {})).toBe(builtInSources.llama2);
});
