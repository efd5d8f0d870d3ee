// Tests that the program of the README is examples/own-algorithm, which the runner's test of plugins trains with.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

test('the README shows the example of an own algorithm, whole', () => {
  const textOf = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
  const program = textOf('../../../examples/own-algorithm/reinforce.ts');
  expect(textOf('../README.md')).toContain(`\`\`\`ts\n${program}\`\`\``);
  expect(program.trim().split('\n').length).toBeLessThanOrEqual(60);
});
