import { HuggingFaceTokenizer } from '@bowyer/text';
import { ollamaTemplate } from './ollama-template.js';

const tokenizer = (chat_template?: string) =>
  new HuggingFaceTokenizer(
    { model: { type: 'BPE', vocab: { a: 0 }, merges: [] } },
    chat_template === undefined ? {} : { chat_template },
  );

const MESSAGE = '<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n';
const ASK = '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';

test('a text around each message becomes a template of Go', () => {
  expect(ollamaTemplate(tokenizer(`{% for m in messages %}${MESSAGE}{% endfor %}${ASK}`))).toEqual([
    'TEMPLATE """{{ range .Messages }}' +
      '{{ if eq .Role "user" }}<|im_start|>user\n{{ .Content }}<|im_end|>\n' +
      '{{ else if eq .Role "assistant" }}<|im_start|>assistant\n{{ .Content }}<|im_end|>\n' +
      '{{ else if eq .Role "system" }}<|im_start|>system\n{{ .Content }}<|im_end|>\n' +
      '{{ end }}{{ end }}<|im_start|>assistant\n"""',
  ]);
});

test('a template that writes the last message otherwise is not written, and a comment says so', () => {
  const last = '{% for m in messages %}{% if loop.last %}LAST {% endif %}' + `${MESSAGE}{% endfor %}${ASK}`;
  expect(ollamaTemplate(tokenizer(last))[0]).toMatch(
    /^# The chat template of the model is more than a text around each/,
  );
  expect(ollamaTemplate(tokenizer())).toEqual([expect.stringMatching(/^# The model has no chat template/)]);
});
