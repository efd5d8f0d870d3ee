// The README shows the smallest environment as the example has it.
import { readFileSync } from 'node:fs';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test('the README contains the whole of the smallest environment, in at most 40 lines', () => {
  const example = read('../../../examples/own-environment/guess-number.ts');
  expect(read('../README.md')).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
  expect(example.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
});
