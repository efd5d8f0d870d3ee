// The README's program prints what the README says.
import { join, resolve } from 'node:path';
import { readmePrograms } from '@bowyer/testing';

const folder = resolve(import.meta.dirname, '..');
const [program] = readmePrograms(join(folder, 'README.md'), resolve(folder, '../..'));

test('the program of the README', async () => {
  expect(await program.run()).toBe(
    'line 1, score 1: [{"role":"user","content":"Time?"},{"role":"assistant","content":"",' +
      '"tool_calls":[{"id":"c1","type":"function","function":{"name":"clock","arguments":{"zone":"UTC"}}}]}]\n',
  );
});
