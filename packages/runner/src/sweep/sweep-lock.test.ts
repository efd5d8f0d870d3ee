import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockSweep } from './sweep-lock.js';

let directory: string;
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'bowyer-lock-'))));
afterEach(() => rm(directory, { recursive: true }));

test('a folder at work is refused, naming the process', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const ended = new Promise((resolve) => other.on('exit', resolve));
  await writeFile(join(directory, 'sweep.lock'), `${other.pid}\n`);
  await expect(lockSweep(directory)).rejects.toThrow(
    `process ${other.pid} is running the sweep in ${directory} already\n` +
      `  wait for its end; if there is no such sweep any more, delete ${directory}/sweep.lock`,
  );
  other.kill();
  await ended;
  // What it left behind does not count any more.
  const unlock = await lockSweep(directory);
  expect(await readdir(directory)).toEqual(['sweep.lock']);
  await unlock();
  expect(await readdir(directory)).toEqual([]);
});

test('a folder that is not there is made', async () => {
  const folder = join(directory, 'new', 'sweep');
  await lockSweep(folder);
  expect(await readdir(folder)).toEqual(['sweep.lock']);
});
