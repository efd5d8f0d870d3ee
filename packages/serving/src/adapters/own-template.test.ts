import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { hasOtherTemplate } from './own-template.js';

let dir: string;
beforeEach(() => {
  dir = newFolder();
});

function folder(name: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(join(dir, name));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, name, file), text);
  return join(dir, name);
}

const inConfig = (template: unknown) => ({ 'tokenizer_config.json': JSON.stringify({ chat_template: template }) });

test('an adapter without a template, or with its model’s template, uses the model’s', () => {
  const model = folder('model', inConfig('{{ a }}'));
  expect(hasOtherTemplate(folder('bare', {}), model)).toBe(false);
  expect(hasOtherTemplate(folder('plain', { 'tokenizer_config.json': '{}' }), model)).toBe(false);
  expect(hasOtherTemplate(folder('same', { 'chat_template.jinja': '{{ a }}' }), model)).toBe(false);
});

test('another text is another template, whichever file has it', () => {
  const model = folder('model', { 'chat_template.jinja': '{{ a }}' });
  expect(hasOtherTemplate(folder('file', { 'chat_template.jinja': '{{ b }}' }), model)).toBe(true);
  expect(hasOtherTemplate(folder('config', inConfig('{{ b }}')), model)).toBe(true);
  expect(hasOtherTemplate(folder('several', inConfig([{ name: 'default', template: '{{ a }}' }])), model)).toBe(true);
});
