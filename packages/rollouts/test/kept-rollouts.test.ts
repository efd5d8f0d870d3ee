// Tests a recorder's memory for rollouts: it keeps little of what clients send, and nothing of a failed read or write.
import { open, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { effectiveRewards, type RecordedRollout } from '../src/index.js';
import { post, tinyServer, type TinyServer } from './tiny-server.js';

let tiny: TinyServer;
beforeEach(async () => {
  tiny = await tinyServer();
});
afterEach(() => tiny.close());

const numbered = (count: number, from = 0): string[] => Array.from({ length: count }, (_, i) => `r${from + i}`);
const rewardsOf = (rollout: RecordedRollout): number[] => effectiveRewards(rollout).map(({ value }) => value);

test('texts of a rollout that are kept are bounded, in characters', async () => {
  const { url } = await tiny.server.rollouts.begin({ id: 'a' });
  const long = 'k'.repeat(100_000);
  for (const [path, body, param] of [
    ['rewards', { value: 1, key: long }, 'key'],
    ['rewards', { value: 1, name: long }, 'name'],
    ['metrics', { [long]: 1 }, 'k'.repeat(80)],
    ['end', { reason: long }, 'reason'],
  ] as const) {
    const { status, text } = await post(`${url}/${path}`, body);
    expect([status, (JSON.parse(text) as { error: { param: string } }).error.param.slice(0, 80)]).toEqual([400, param]);
  }
  const { status } = await post(`${tiny.server.origin}/rollouts`, { id: 'b', task: long });
  expect(status).toBe(400);
});

test('a rollout has a bounded number of metrics, also over a restart; those that it has may change', async () => {
  const { url, id } = await tiny.server.rollouts.begin({ id: 'a' });
  const metrics = (from: number) => Object.fromEntries(numbered(600, from).map((name) => [name, 1]));
  expect((await post(`${url}/metrics`, metrics(0))).status).toBe(200);
  expect((await post(`${url}/metrics`, metrics(600))).status).toBe(409);
  await tiny.close();
  tiny = await tinyServer(tiny.folder);
  const again = `${tiny.server.origin}/rollouts/a`;
  expect((await post(`${again}/metrics`, metrics(600))).status).toBe(409);
  expect((await post(`${again}/metrics`, metrics(0))).status).toBe(200);
  expect(Object.keys((await tiny.server.rollouts.read(id)).metrics)).toHaveLength(600);
});

test('a record that cannot be read once fails its own requests alone, and none of them once it can be read again', async () => {
  const { server } = tiny;
  await Promise.all(numbered(1200).map((id) => server.rollouts.begin({ id })));
  const file = await open(join(tiny.folder, 'rollouts.00001.jsonl'), 'r+');
  await file.write('X', 5);
  await expect(server.rollouts.reward('r0', { value: 1 })).rejects.toThrow('is damaged');
  await expect(server.rollouts.reward('r1', { value: 1 })).resolves.toBe(true);
  await file.write('e', 5);
  await file.close();
  await expect(server.rollouts.reward('r0', { value: 1 })).resolves.toBe(true);
});

test('a file of the log that cannot be opened fails the requests that need it, with the reason, and none of them afterwards', async () => {
  await tiny.server.rollouts.begin({ id: 'old' });
  await tiny.close();
  tiny = await tinyServer(tiny.folder);
  const { server } = tiny;
  const [part, aside] = ['rollouts.00001.jsonl', 'aside'].map((name) => join(tiny.folder, name));
  await rename(part, aside);
  await symlink(part, part);
  await expect(server.rollouts.reward('old', { value: 1 })).rejects.toThrow(
    `cannot read ${part}: its symbolic links lead in a circle`,
  );
  await expect(server.rollouts.begin({ id: 'new' })).resolves.toMatchObject({ id: 'new' });
  await rename(aside, part);
  await expect(server.rollouts.reward('old', { value: 1 })).resolves.toBe(true);
  expect(rewardsOf(await server.rollouts.read('old'))).toEqual([1]);
});

test('after a record that stays unreadable, a thousand further rollouts are played', async () => {
  const { server } = tiny;
  await Promise.all(numbered(1200).map((id) => server.rollouts.begin({ id })));
  const file = await open(join(tiny.folder, 'rollouts.00001.jsonl'), 'r+');
  await file.write('X', 5);
  await expect(server.rollouts.reward('r0', { value: 1 })).rejects.toThrow('is damaged');
  const further = numbered(1100, 1200);
  await Promise.all(further.map((id) => server.rollouts.begin({ id })));
  const counted = await Promise.all(further.map((id) => server.rollouts.reward(id, { value: 1 })));
  expect(counted).toEqual(further.map(() => true));
  await file.write('e', 5);
  await file.close();
});

test('an event that could not be written is forgotten, and is kept if it is sent again', async () => {
  const { server, log } = tiny;
  const append = log.append.bind(log);
  const full = () => (log.append = () => Promise.reject(new Error('the disk is full')));
  const free = () => (log.append = append);
  full();
  await expect(server.rollouts.begin({ id: 'a', task: 't' })).rejects.toThrow('full');
  free();
  await server.rollouts.begin({ id: 'a', task: 't' });
  full();
  await expect(server.rollouts.reward('a', { value: 1, key: 'k' })).rejects.toThrow('full');
  await expect(server.rollouts.begin({ id: 'a', task: 'u', attempt: 1 })).rejects.toThrow('full');
  free();
  await server.rollouts.reward('a', { value: 2, key: 'k' });
  await server.rollouts.reward('a', { value: 3, key: 'k' }); // the same request again
  const rollout = await server.rollouts.read('a');
  expect([rollout.task, rewardsOf(rollout)]).toEqual(['t', [2]]);
});

test('a clock that is set back loses no reward, and counts none that came too late', async () => {
  const { server } = tiny;
  const now = Date.now;
  try {
    await server.rollouts.begin({ id: 'a' });
    await server.rollouts.reward('a', { value: 1 });
    Date.now = () => now() - 3_600_000;
    await server.rollouts.learnt('a');
    await expect(server.rollouts.reward('a', { value: 2 })).resolves.toBe(false);
  } finally {
    Date.now = now;
  }
  expect(rewardsOf(await server.rollouts.read('a'))).toEqual([1]);
});
