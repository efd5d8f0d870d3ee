// The README's program runs as it is shown.
import { resolve, join } from 'node:path';
import { readmePrograms } from '@bowyer/testing';

const folder = resolve(import.meta.dirname, '..');
const programs = readmePrograms(join(folder, 'README.md'), resolve(folder, '../..'));

test('a rollout gets its reward and ends', async () => {
  const said = await programs[0].run();
  expect(said).toContain('an agent is given /rollouts/first/v1');
  expect(said).toContain('ended with 0 branches, reward 1');
});
