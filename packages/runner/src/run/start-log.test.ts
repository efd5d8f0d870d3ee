import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { readStarts, recordStart } from './start-log.js';

const folder = newFolder();
const argv = process.argv;
afterAll(() => {
  process.argv = argv;
});

test.each([
  ['a program of the user’s', ['node', join(process.cwd(), 'my agent.js'), '3'], "node 'my agent.js' 3"],
  ['a program that is typed or piped, which has no file', ['node'], 'node'],
])('the command of %s is recorded', async (_, words, command) => {
  process.argv = words;
  await recordStart(folder, true);
  expect((await readStarts(folder)).command).toBe(command);
});
