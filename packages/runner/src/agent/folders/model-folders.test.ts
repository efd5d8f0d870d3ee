import { join, resolve } from 'node:path';
import { modelNameOf } from './model-folders.js';

test.each([
  ['models/tiny', 'tiny'],
  ['models/tiny/', 'tiny'],
  ['outputs/support/checkpoints/best', 'support'],
  ['outputs/support/checkpoints/000012/policy', 'support-000012'],
  ['outputs/support/checkpoints/000012', 'support-000012'],
  ['outputs/support', 'support'],
  ['.cache/converted/qwen-Q4_K_M-0123456789ab', 'qwen-Q4_K_M'],
  ['models/qwen-0123456789ab', 'qwen-0123456789ab'],
])('the name of the model in %s is %s', (folder, name) => {
  expect(modelNameOf(folder)).toBe(name);
  expect(modelNameOf(resolve(folder))).toBe(name);
});

test('a folder named checkpoints at the root of the disk belongs to no run', () => {
  expect(modelNameOf(join('/', 'checkpoints', 'best'))).toBe('best');
});
