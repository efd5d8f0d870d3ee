// Tests that the README's programs run as they are shown.
import { join, resolve } from 'node:path';
import { readmePrograms } from '@bowyer/testing';

const folder = resolve(import.meta.dirname, '..');
const programs = readmePrograms(join(folder, 'README.md'), resolve(folder, '../..'));

/** Returns the output of the n-th program of the README. */
const outputOf = (n: number): Promise<string> => programs[n].run();

test('the critic of the README learns that asking again costs 1', async () => {
  const [, ...q1] = /q1: Float32Array\(2\) \[ (\S+), (\S+) \]/.exec(await outputOf(0))!;
  expect(Number(q1[0])).toBeCloseTo(-2, 1);
  expect(Number(q1[1])).toBeCloseTo(-3, 1);
});

test('the policy of the README learns its reply and where to end it', async () => {
  expect(await outputOf(1)).toMatch(/^ a grey cat true \[/);
});
