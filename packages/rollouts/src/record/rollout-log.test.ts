import { appendFile, open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogEvent } from './log-event.js';
import { readRollouts, RolloutLog, type RolloutLogOptions } from './rollout-log.js';
import { newFolder } from '@bowyer/testing';

const begun = (id: string): LogEvent => ({ type: 'begun', id, at: 1 });
const reward = (id: string, value: number): LogEvent => ({
  type: 'reward',
  id,
  reward: { value, name: 'reward', at: 2 },
});
const ended = (id: string): LogEvent => ({ type: 'ended', id, status: 'ended', at: 3 });
const first = (folder: string) => join(folder, 'rollouts.00001.jsonl');

async function withLog<T>(
  folder: string,
  use: (log: RolloutLog) => Promise<T>,
  options?: RolloutLogOptions,
): Promise<T> {
  const log = await RolloutLog.open(folder, options);
  try {
    return await use(log);
  } finally {
    await log.close();
  }
}

const values = async (log: RolloutLog, id: string) => (await log.read(id))?.rewards.map(({ value }) => value);

test('the events of each rollout are found in files of bounded size, also after the log was opened again', async () => {
  const folder = await newFolder();
  const ids = ['a', 'b', 'c'];
  await withLog(
    folder,
    async (log) => {
      for (const id of ids) await log.append(begun(id));
      for (let i = 0; i < 30; i++) await Promise.all(ids.map((id) => log.append(reward(id, i))));
      for (const id of ids) expect(await values(log, id)).toEqual(Array.from({ length: 30 }, (_, i) => i));
    },
    { partBytes: 1000 },
  );
  const parts = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  expect(parts.length).toBeGreaterThan(5);
  for (const part of parts) expect((await stat(join(folder, part))).size).toBeLessThan(1000 + 3 * 130);
  await withLog(folder, async (log) => {
    expect(log.open).toEqual(ids);
    expect(await values(log, 'c')).toHaveLength(30);
    expect(await log.read('d')).toBeNull();
  });
});

test('each line is JSON with a checksum of the bytes before it', async () => {
  const folder = await newFolder();
  await withLog(folder, (log) => log.append(begun('ünïcode')));
  const line = (await readFile(first(folder), 'utf8')).trim();
  expect(JSON.parse(line)).toMatchObject({
    type: 'begun',
    id: 'ünïcode',
    crc32: expect.stringMatching(/^[0-9a-f]{8}$/),
  });
});

test.each([
  ['a line without its end', (text: string) => text.slice(0, -20)],
  ['a line of zeros, as a loss of power may leave it', (text: string) => `${text}\0\0\0\0\0\0`],
  ['a last line with another content', (text: string) => text.replace(/"value":2/, '"value":7')],
])('%s at the end is cut off, and the log continues behind the last whole line', async (_, torn) => {
  const folder = await newFolder();
  await withLog(folder, async (log) => {
    await log.append(reward('a', 1));
    await log.append(reward('a', 2));
  });
  const text = await readFile(first(folder), 'utf8');
  await writeFile(first(folder), torn(text));
  const kept = torn(text).startsWith(text) ? [1, 2] : [1];
  await withLog(folder, async (log) => {
    expect(log.cutBytes).toBeGreaterThan(0);
    expect(await values(log, 'a')).toEqual(kept);
    await log.append(reward('a', 3));
  });
  await withLog(folder, async (log) => expect(await values(log, 'a')).toEqual([...kept, 3]));
});

test('damage before the last line is reported with its file and byte, and nothing is changed', async () => {
  const folder = await newFolder();
  await withLog(folder, async (log) => {
    for (let i = 1; i <= 3; i++) await log.append(reward('a', i));
  });
  const text = await readFile(first(folder), 'utf8');
  const broken = text.replace('"value":2', '"value":9');
  await writeFile(first(folder), broken);
  const at = text.indexOf('\n') + 1;
  await expect(RolloutLog.open(folder)).rejects.toThrow(
    `${first(folder)} is damaged at byte ${at}: the line there has another checksum\n` +
      '  restore the file, or record into another folder',
  );
  expect(await readFile(first(folder), 'utf8')).toBe(broken);
});

test('one process writes to a folder; others may read it, even while a line is half written', async () => {
  const folder = await newFolder();
  await withLog(folder, async (log) => {
    await log.append(reward('a', 1));
    await log.append(ended('a'));
    await log.append(reward('b', 2));
    await expect(RolloutLog.open(folder)).rejects.toThrow(/records in/);
    await appendFile(first(folder), '{"type":"rew');
    const read = [];
    for await (const { id, status } of readRollouts(folder)) read.push([id, status]);
    expect(read).toEqual([
      ['a', 'ended'],
      ['b', 'open'],
    ]);
    await truncate(first(folder), (await stat(first(folder))).size - 12);
  });
});

test('of the rollouts that have ended, the newest are found; the log has all of them', async () => {
  const folder = await newFolder();
  await withLog(
    folder,
    async (log) => {
      for (let i = 0; i < 5; i++) {
        await log.append(begun(`r${i}`));
        await log.append(ended(`r${i}`));
      }
      expect([log.has('r2'), log.has('r3'), log.has('r4')]).toEqual([false, true, true]);
    },
    { mostEnded: 2 },
  );
  const ids = [];
  for await (const { id } of readRollouts(folder)) ids.push(id);
  expect(ids).toEqual(['r0', 'r1', 'r2', 'r3', 'r4']);
});

test('lines that wait go to disk together', async () => {
  const folder = await newFolder();
  const probe = await open(first(await newFolder()), 'w');
  const prototype = Object.getPrototypeOf(probe) as { datasync: () => Promise<void> };
  await probe.close();
  const { datasync } = prototype;
  let syncs = 0;
  prototype.datasync = function (this: typeof prototype) {
    syncs++;
    return datasync.call(this);
  };
  try {
    await withLog(folder, async (log) => {
      await Promise.all(Array.from({ length: 100 }, (_, i) => log.append(reward('a', i))));
      expect(await values(log, 'a')).toHaveLength(100);
    });
  } finally {
    prototype.datasync = datasync;
  }
  expect(syncs).toBeLessThan(5);
});

test('a new attempt of a rollout begins with an empty record', async () => {
  await withLog(await newFolder(), async (log) => {
    await log.append(begun('a'));
    await log.append(reward('a', 1));
    await log.append(ended('a'));
    await log.append({ type: 'begun', id: 'a', attempt: 1, at: 4 });
    expect(await log.read('a')).toEqual({
      id: 'a',
      attempt: 1,
      calls: [],
      failures: [],
      rewards: [],
      metrics: {},
      status: 'open',
    });
    expect(log.open).toEqual(['a']);
  });
});
