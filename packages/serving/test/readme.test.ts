// The README's programs run as they are shown.
import { join, resolve } from 'node:path';
import { readmePrograms } from '@bowyer/testing';

const folder = resolve(import.meta.dirname, '..');
const programs = readmePrograms(join(folder, 'README.md'), resolve(folder, '../..'));

/** Returns the output of the n-th program of the README. */
const outputOf = (n: number): Promise<string> => programs[n].run();

test('the served environment answers a step', async () => {
  expect(await outputOf(0)).toMatch(/observation: .*inventory/i);
});
