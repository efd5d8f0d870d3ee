// The README's program runs as it is shown, and its agent learns.
import { resolve, join } from 'node:path';
import { readmePrograms } from '@bowyer/testing';

const folder = resolve(import.meta.dirname, '..');

test('an agent learns to name the colour of each thing', async () => {
  const [program] = readmePrograms(join(folder, 'README.md'), resolve(folder, '../..'));
  const figures = (await program.run()).matchAll(/: (\d\.\d\d)$/gm);
  const [start, last] = [...figures].map(([, figure]) => Number(figure));
  expect(last).toBeGreaterThan(start + 0.5);
});
