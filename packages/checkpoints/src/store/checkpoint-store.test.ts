import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CheckpointStore } from './checkpoint-store.js';
import { newFolder } from '@bowyer/testing';

let directory: string;
beforeEach(() => (directory = newFolder()));

interface Progress {
  nextIteration: number;
  fileLengths: Record<string, number>;
  best: null;
  state: object;
}

const progress = (nextIteration: number): Progress => ({
  nextIteration,
  fileLengths: {},
  best: null,
  state: {},
});
const save = (store: CheckpointStore<Progress>, iteration: number) =>
  store.save(iteration, progress(iteration), (folder) => writeFile(join(folder, 'policy.bin'), `weights ${iteration}`));

test('the two newest are kept, and the newest is found', async () => {
  const store = new CheckpointStore<Progress>(directory);
  for (const iteration of [5, 10, 15]) await save(store, iteration);
  expect(await readdir(directory)).toEqual(['000010', '000015']);
  const found = await store.newest(() => {});
  expect(found?.progress.nextIteration).toBe(15);
  expect(await readFile(join(found!.folder, 'policy.bin'), 'utf8')).toBe('weights 15');
});

test('a half-written folder does not count', async () => {
  const store = new CheckpointStore<Progress>(directory);
  await save(store, 5);
  await expect(store.save(10, progress(10), () => Promise.reject(new Error('killed')))).rejects.toThrow('killed');
  expect((await store.newest(() => {}))?.progress.nextIteration).toBe(5);
});

test('a damaged checkpoint is passed over with a warning', async () => {
  const store = new CheckpointStore<Progress>(directory);
  await save(store, 5);
  await save(store, 10);
  await truncate(join(directory, '000010', 'policy.bin'), 3);
  const warnings: string[] = [];
  expect((await store.newest((line) => warnings.push(line)))?.progress.nextIteration).toBe(5);
  expect(warnings).toEqual([
    `checkpoint ${directory}/000010 is damaged: policy.bin does not have the bytes that were written; falling back to checkpoint 000005`,
  ]);
});

test('if all are damaged the error states what to do', async () => {
  const store = new CheckpointStore<Progress>(directory);
  await save(store, 5);
  await rm(join(directory, '000005', 'manifest.json'));
  await expect(store.newest(() => {})).rejects.toThrow(
    `no checkpoint in ${directory} can be used (1 found, all damaged)\n` +
      '  restore one from a copy, or start again in a new directory',
  );
});

test('without any checkpoint the run starts at the beginning', async () => {
  expect(await new CheckpointStore(join(directory, 'absent')).newest(() => {})).toBeNull();
});
