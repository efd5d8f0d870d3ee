import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { followRun } from './follow-run.js';

let run: string;
beforeEach(async () => (run = join(newFolder(), 'later')));
afterEach(() => rm(run, { recursive: true, force: true }));

const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
};

test('the newest complete checkpoint of a run that begins later is loaded once, and a broken one is skipped', async () => {
  const taken: string[] = [];
  const failures: string[] = [];
  const takeUp = (folder: string, number: number) => {
    taken.push(folder.slice(run.length + 1));
    return number === 3 ? Promise.reject(new Error('broken')) : Promise.resolve();
  };
  const follower = followRun(run, takeUp, ({ message }) => failures.push(message));
  const checkpoint = async (name: string) => {
    await mkdir(join(run, 'checkpoints', `${name}.tmp`, 'policy'), { recursive: true });
    await rename(join(run, 'checkpoints', `${name}.tmp`), join(run, 'checkpoints', name));
  };
  await mkdir(join(run, 'checkpoints', '000009.tmp', 'policy'), { recursive: true });
  await mkdir(join(run, 'checkpoints', 'best'), { recursive: true });
  await checkpoint('000002');
  await checkpoint('000003');
  await until(() => failures.length > 0);
  await checkpoint('000010');
  await until(() => taken.length === 2);
  await follower.stop();
  expect(taken).toEqual(['checkpoints/000003/policy', 'checkpoints/000010/policy']);
  expect(failures).toEqual(['broken']);
});
