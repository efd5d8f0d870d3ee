// Tests that the end token of an answer which was cut off is not learned, with any template.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { HuggingFaceTokenizer } from '../tokenizers/tokenizer.js';
import type { ChatMessage } from './chat-message.js';
import { chatTemplate } from './chat-template.js';

const path = fileURLToPath(new URL('../../test/tokenizer-fixtures/gpt2.json', import.meta.url));
const { definition } = JSON.parse(readFileSync(path, 'utf8')) as { definition: Record<string, unknown> };
const vocabulary = Object.values((definition.model as { vocab: Record<string, number> }).vocab);
const marks = ['<|im_start|>', '<|im_end|>', '<s>', '</s>', '[INST]', ' [/INST]', '<|eot_id|>'];
const headers = ['<|begin_of_text|>', '<|start_header_id|>', '<|end_header_id|>'];
const added = [...marks, ...headers].map((content, i) => ({
  id: Math.max(...vocabulary) + 10 + i,
  content,
  special: true,
}));
const tokenizer = new HuggingFaceTokenizer({ ...definition, added_tokens: added }, { eos_token: '</s>' });

const JINJA = `{% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content | trim }}{{ m.tool_calls | tojson if m.tool_calls }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;
const MARKED = `{% for m in messages %}{% if m.role == 'assistant' %}{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}
{%- else %}{{ m.content }}
{% endif %}{% endfor %}`;

function learned(template: string, messages: readonly ChatMessage[]): string[] {
  const texts: string[] = [];
  for (const { ids, lossMask } of chatTemplate(template, tokenizer).encodeConversation(messages))
    for (let at = 0; at < ids.length; at++) {
      const end = lossMask.findIndex((weight, i) => i >= at && weight === 0);
      const until = end < 0 ? ids.length : end;
      if (lossMask[at] > 0) texts.push(tokenizer.decode(ids.slice(at, until), { keepSpecialTokens: true }));
      at = lossMask[at] > 0 ? until : at;
    }
  return texts;
}

const user = (content: string): ChatMessage => ({ role: 'user', content });
const reply = (content: string, more: object = {}): ChatMessage => ({ role: 'assistant', content, ...more });

test.each([
  ['Jinja', JINJA, '<|im_end|>\n'],
  ['Jinja with generation blocks', MARKED, '<|im_end|>'],
  ['chatml', 'chatml', '<|im_end|>'],
  ['llama2', 'llama2', '</s>'],
  ['llama3', 'llama3', '<|eot_id|>'],
])('%s: the text is learned, and the end of whole answers', (_, template, end) => {
  const cut = reply('Mercury, Ven', { cut: true });
  const whole = reply('ok');
  const texts = (...replies: ChatMessage[]) =>
    learned(
      template,
      replies.flatMap((each, i) => [user(`q${i}`), each]),
    ).map((text) => text.trimStart());
  expect(texts(cut)).toEqual(['Mercury, Ven']);
  expect(texts(cut, whole)).toEqual(['Mercury, Ven', `ok${end}`]);
  expect(texts(whole, cut)).toEqual([`ok${end}`, 'Mercury, Ven']);
  expect(texts({ ...cut, cut: false })).toEqual([`Mercury, Ven${end}`]);
  expect(texts({ ...cut, loss: false }, whole)).toEqual([`ok${end}`]);
});

test('nothing is learned of an answer that was cut off behind a call, or before its text', () => {
  const call = { type: 'function', id: 'a', function: { name: 'f', arguments: {} } };
  expect(learned(JINJA, [user('q'), reply('x', { cut: true, tool_calls: [call] })])).toEqual([]);
  expect(learned(JINJA, [user('q'), reply('', { cut: true })])).toEqual([]);
});
