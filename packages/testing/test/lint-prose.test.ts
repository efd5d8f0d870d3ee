// The linter of prose finds the phrases that need a second reading, and leaves plain English and the text of games alone.
import { join, resolve } from 'node:path';
import { findings } from '../../../tools/lint-prose.js';

const repository = resolve(import.meta.dirname, '../../..');
const found = (text: string, file = 'packages/core/src/file.ts') =>
  findings(join(repository, file), text, []).map(({ message }) => /'(.*?)'/.exec(message)![1]);

test.each([
  ['/** Of the last step. */', ['Of the']],
  ['// The last step. Of all steps the first.', ['Of all']],
  ['/**\n * Of a chat.\n */', ['Of a']],
  ["throw new Error('Of the batch nothing is left');", ['Of the']],
  ['// A set is no config value.', ['is no config']],
  ['// Numbers that are no\n// indices.', ['are no indices']],
  ['/** What a request has. */', ['What a']],
  ['// Runs. What it\n// writes stays.', ['What it']],
  ['/** Where it had one. */', ['Where it']],
  ['/**\n * Where the keys\n * are; null: nowhere.\n */', ['Where the']],
  ['/** Whose marks are tokens. */', ['Whose marks']],
])('%j', (text, phrases) => {
  expect(found(text)).toEqual(phrases);
});

test.each([
  '// The norm of all gradients; the Ministry Of Silly Walks. Of course.',
  '// There is no key, and there are no values; it is no longer there, and they are no better.',
  '// There\n// is no key.',
  '// `Of the` and `is no key` are code.',
  'const isNoKey = Of(the);',
  '// What is left? Where nothing is given, the whole.',
  "say('What I sought.');",
])('%j has none', (text) => {
  expect(found(text)).toEqual([]);
});

test('options are named by their paths, in messages, comments and commands, unless they are those of others', () => {
  expect(found("fail('write use_lora=true, or a smaller lm_lr');")).toEqual(['use_lora', 'lm_lr']);
  expect(found('// With use_lora=true. The lm_lr.\nconst key = "use_lora";')).toEqual(['use_lora', 'lm_lr']);
  expect(found("fail('write lora.enabled=true task=train');")).toEqual([]);
  const page = '`threads=2`, `device.threads=2`, ArCHer’s `use_lora`\n\n```sh\nnpx bowyer model=F task.model=F\n```\n';
  expect(found(page, 'docs/page.md')).toEqual(['threads', 'model']);
  expect(found(page, 'docs/flat-names.md')).toEqual([]);
  expect(found('# Set lm_lr.\nlm_lr: 1\n', 'configs/x.yaml')).toEqual(['lm_lr']);
});

test('the strings of environments are texts of games, their comments are not', () => {
  const text = "// The door is no exit.\nsay('The door is no exit.');\n";
  expect(found(text, 'packages/envs/src/game.ts')).toEqual(['is no exit']);
  expect(found(text)).toEqual(['is no exit', 'is no exit']);
});

test('titles of tests are prose, their other strings are not', () => {
  const text = "describe('that is no set', () => test.each([1])('this is no list', () => say('that is no text')));";
  expect(found(text, 'packages/core/src/file.test.ts')).toEqual(['is no set', 'is no list']);
});

test('Markdown and YAML are read outside of code', () => {
  expect(found('| x | Of the run |\n\n```ts\n// Of the code\n```\n', 'docs/page.md')).toEqual(['Of the']);
  expect(found('# Of each run.\nkey: 1\n', 'configs/x.yaml')).toEqual(['Of each']);
  expect(found('# What it reads.\nkey: 1\n', 'configs/x.yaml')).toEqual(['What it']);
  expect(found('## What is not shown\n', 'docs/page.md')).toEqual([]);
});
