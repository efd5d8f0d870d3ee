import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTasks } from './tasks.js';
import { newFolder } from '@bowyer/testing';

const folder = newFolder();
function written(name: string, ...items: object[]): string {
  const path = join(folder, name);
  writeFileSync(path, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  return path;
}
const user = (content: string) => ({ role: 'user', content });
const dialogue = (asked: string, answer: string) => ({
  messages: [user(asked), { role: 'assistant', content: answer }],
});

test('attempts at one task are one task, with the messages before the first reply', async () => {
  const path = written('a.jsonl', dialogue('a', 'x'), dialogue('a', 'y'), { input: 'b', output: [] });
  expect(await readTasks(path)).toEqual([
    { id: 'task-6dbb565c2540', messages: [user('a')] },
    { id: 'task-7d0765eae2b4', messages: [user('b')] },
  ]);
});

test('lines with an id are tasks as they are', async () => {
  const line = { id: 1, ...dialogue('a', 'x') };
  expect(await readTasks(written('b.jsonl', line))).toEqual([{ ...line, id: '1' }]);
});
