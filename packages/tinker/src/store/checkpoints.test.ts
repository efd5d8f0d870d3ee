// Tests checkpoints that are overwritten and removed: each checkpoint that the store lists can be read at any time.
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { checkpointName, Checkpoints, pathOf } from './checkpoints.js';

let folder: string;
beforeEach(() => (folder = newFolder()));

const shape = { rank: 2, seed: 1, trainAttn: true, trainMlp: true, trainUnembed: false };
const one = { run: 'a:train:0', kind: 'weights', name: 'one', baseModel: 'tiny', shape } as const;
const path = pathOf(one);

const open = () => Checkpoints.open(folder, 1000);

/** Calls `work` while records cannot be written, although the files of checkpoints can. */
const withoutRecords = async (work: () => Promise<void>) => {
  const records = join(folder, 'records');
  await rename(records, `${records}.away`);
  await writeFile(records, '');
  await work();
  await rm(records);
  await rename(`${records}.away`, records);
};

/** Saves a checkpoint that has one file with this text. @param text null to let the writing fail */
const save = (checkpoints: Checkpoints, request: string, text: string | null) =>
  checkpoints.save({ ...one, request, expires: null, isEphemeral: false }, true, {
    async write(into) {
      await mkdir(into);
      if (text === null) throw new Error('the disk is full');
      await writeFile(join(into, 'text'), text);
    },
    mostBytes: 10,
  });

const textOf = (checkpoints: Checkpoints) =>
  checkpoints.reading(checkpoints.find(path), (from) => readFile(join(from, 'text'), 'utf8'));

test('a checkpoint that is overwritten stays until the new one is whole, also over a restart', async () => {
  const checkpoints = await open();
  await save(checkpoints, '1', 'first');
  await expect(save(checkpoints, '2', null)).rejects.toThrow('the disk is full');
  expect(await textOf(checkpoints)).toBe('first');
  const restarted = await open();
  expect(await textOf(restarted)).toBe('first');
  await save(restarted, '3', 'third');
  expect(await textOf(restarted)).toBe('third');
  expect(await textOf(await open())).toBe('third');
  expect(await readdir(join(folder, 'a%3Atrain%3A0', 'weights'))).toHaveLength(1);
});

test('what is read stays while it is overwritten and removed, and is gone afterwards', async () => {
  const checkpoints = await open();
  await save(checkpoints, '1', 'first');
  const seen = await checkpoints.reading(checkpoints.find(path), async (from) => {
    await checkpoints.remove(path);
    await save(checkpoints, '2', 'second');
    await save(checkpoints, '3', 'third');
    return readFile(join(from, 'text'), 'utf8');
  });
  expect(seen).toBe('first');
  expect(await textOf(checkpoints)).toBe('third');
  expect(await readdir(join(folder, 'a%3Atrain%3A0', 'weights'))).toHaveLength(1);
});

test('changes of one checkpoint at once are all made, and all of them are on disk', async () => {
  const checkpoints = await open();
  await save(checkpoints, '1', 'first');
  const expires = Date.now() + 1_000_000;
  const changes = Array.from({ length: 20 }, (_, i) => (i === 7 ? { expires } : { isPublic: i % 2 === 1 }));
  await Promise.all(changes.map((change) => checkpoints.change(path, change)));
  for (const each of [checkpoints, await open()]) expect(each.find(path)).toMatchObject({ isPublic: true, expires });
});

test('a checkpoint whose record cannot be written is not there, also before a restart, and the former one stays', async () => {
  const checkpoints = await open();
  await withoutRecords(async () => {
    await expect(save(checkpoints, '1', 'first')).rejects.toThrow(folder);
    expect(checkpoints.list()).toEqual([]);
    expect(() => checkpoints.find(path)).toThrow('there is no checkpoint');
  });
  await save(checkpoints, '2', 'second');
  await withoutRecords(async () => {
    await expect(save(checkpoints, '3', 'third')).rejects.toThrow(folder);
    await expect(checkpoints.change(path, { isPublic: true })).rejects.toThrow(folder);
  });
  for (const each of [checkpoints, await open()]) {
    expect(await textOf(each)).toBe('second');
    expect(each.list().map(({ request, isPublic }) => [request, isPublic])).toEqual([['2', false]]);
  }
  expect(await readdir(join(folder, 'a%3Atrain%3A0', 'weights'))).toHaveLength(1);
});

test('with a clock that goes back the newest checkpoints are still the newest', async () => {
  let now = Date.parse('2030-01-01');
  const checkpoints = await Checkpoints.open(folder, 1000, () => (now -= 3_600_000));
  const names = Array.from({ length: 20 }, (_, i) => `session-${i}`);
  for (const name of names)
    await checkpoints.save({ ...one, name, request: name, expires: null, isEphemeral: true }, false, {
      write: async (into) => void (await mkdir(into)),
      mostBytes: 1,
    });
  const kept = names.filter((name) => existsSync(join(folder, 'a%3Atrain%3A0', 'weights', name)));
  expect(kept).toEqual(names.slice(-16));
});

test.each([
  ['a'.repeat(128), true],
  ['.'.repeat(64) + 'a', false],
  ['a.'.repeat(60), false],
  ['v1.2.3', true],
])('the name %s', (name, isGood) => {
  const named = () => checkpointName(name, { run: `${'0'.repeat(36)}:train:123`, kind: 'sampler_weights' });
  if (isGood) expect(named()).toBe(name);
  else expect(named).toThrow('has too many dots');
});
