import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasLiveOwner, withFileLock } from './file-lock.js';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bowyer-lock-'));
  path = join(dir, 'new', 'file.lock');
});
afterEach(() => rmSync(dir, { recursive: true }));

const quick = { staleSeconds: 0.5, pollSeconds: 0.005 };
/** The lock file of a process that was killed. */
async function leftBehind(changes: object): Promise<void> {
  const text = await withFileLock(path, async () => readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(text) as object), id: 'an earlier one', ...changes }));
}

test('one process at a time, and no file remains', async () => {
  let [inside, most] = [0, 0];
  const work = async () => {
    most = Math.max(most, ++inside);
    await sleep(5);
    return inside--;
  };
  await Promise.all(Array.from({ length: 8 }, () => withFileLock(path, work, quick)));
  expect({ inside, most }).toEqual({ inside: 0, most: 1 });
  expect(readdirSync(join(dir, 'new'))).toEqual([]);
});

test('it is released when the work fails', async () => {
  await expect(withFileLock(path, () => Promise.reject(new Error('no space')))).rejects.toThrow('no space');
  expect(readdirSync(join(dir, 'new'))).toEqual([]);
});

test('the lock of a process that has ended is taken over by one of many', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  let [inside, most] = [0, 0];
  const work = async () => {
    most = Math.max(most, ++inside);
    await sleep(2);
    inside--;
  };
  const long = { staleSeconds: 1000, pollSeconds: 0.003 };
  for (let round = 0; round < 30; round++) {
    await leftBehind({ pid });
    await Promise.all(Array.from({ length: 8 }, () => withFileLock(path, work, long)));
  }
  expect(most).toBe(1);
  expect(readdirSync(join(dir, 'new'))).toEqual([]);
});

test.each([
  ['of another machine', { host: 'elsewhere', pid: 1 }],
  ['whose id now belongs to another process', {}],
])('the lock of an owner %s is taken over when it has no heartbeat', async (_, changes) => {
  await leftBehind(changes);
  const waits: (number | null)[] = [];
  expect(await withFileLock(path, async () => 'done', { ...quick, onWait: (pid) => waits.push(pid) })).toBe('done');
  expect(waits).toEqual([(changes as { pid?: number }).pid ?? process.pid]);
});

test('an owner is alive while its heartbeat is near, whatever day the clock shows', async () => {
  expect(await hasLiveOwner(path)).toBe(false);
  await withFileLock(path, async () => {
    expect(await hasLiveOwner(path)).toBe(true);
    for (const day of [-86_400, 86_400]) {
      const time = Date.now() / 1000 + day;
      utimesSync(path, time, time);
      expect(await hasLiveOwner(path)).toBe(false);
    }
  });
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  await leftBehind({ pid });
  expect(await hasLiveOwner(path)).toBe(false);
});

test('the clock is set by a day while a process works: the others wait', async () => {
  const order: string[] = [];
  const first = withFileLock(
    path,
    async () => {
      for (const day of [-1, 1, -1]) {
        utimesSync(path, Date.now() / 1000 + 86_400 * day, Date.now() / 1000 + 86_400 * day); // its next heartbeat
        await sleep(300);
      }
      order.push('first');
    },
    quick,
  );
  await sleep(20);
  await withFileLock(path, async () => void order.push('second'), quick);
  await first;
  expect(order).toEqual(['first', 'second']);
});

test('an owner that works for longer than the timeout keeps the lock', async () => {
  const order: string[] = [];
  const first = withFileLock(
    path,
    async () => {
      await sleep(1500); // three times the timeout
      order.push('first');
    },
    quick,
  );
  await sleep(50);
  await withFileLock(path, async () => void order.push('second'), quick);
  await first;
  expect(order).toEqual(['first', 'second']);
});
