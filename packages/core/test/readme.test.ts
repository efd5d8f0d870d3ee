// Tests that the README's program prints what its comments say.
import { join, resolve } from 'node:path';
import { readmePrograms } from '@bowyer/testing';

const folder = resolve(import.meta.dirname, '..');
const [program] = readmePrograms(join(folder, 'README.md'), resolve(folder, '../..'));

test('the targets, returns and advantages are those of the comments', async () => {
  const lines = (await program!.run()).trim().split('\n');
  expect(lines.slice(0, 3)).toEqual(['1.8 1', '[ 0.9, 1 ]', 'Float32Array(2) [ 0.5, 0.5 ]']);
  expect(lines).toHaveLength(4); // the last line depends on a seed
});
