// Tests that the README's program runs as it is shown.
import { join, resolve } from 'node:path';
import { readmePrograms } from '@bowyer/testing';

const folder = resolve(import.meta.dirname, '..');
const programs = readmePrograms(join(folder, 'README.md'), resolve(folder, '../..'));

/** Returns the output of the n-th program of the README. */
const outputOf = (n: number): Promise<string> => programs[n].run();

test('the tensor of the example is read as it was written', async () => {
  expect(await outputOf(0)).toBe('[ 2, 3 ] Float32Array(6) [ 1, 2, 3, 4, 5, 6 ]\n');
});
