import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newFolder } from '@bowyer/testing';
import { writeFileAtomically } from './atomic-file.js';
import { namingFile } from './disk-error.js';
import { hasLiveOwner, holderMessage, withFileLock, type LockHolder } from './file-lock.js';
import { LockLostError, mayWrite, onLockLost } from './held-locks.js';
import { identityOf, stateOf } from './process-identity.js';

let dir: string;
let path: string;
beforeEach(() => {
  dir = newFolder();
  path = join(dir, 'new', 'file.lock');
});

const quick = { staleSeconds: 0.5, pollSeconds: 0.005 };
/** Writes the lock file of a process that was killed. */
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
  ['on another machine', { boot: 'another', host: 'elsewhere', pid: 1 }],
  ['in another container of this machine', { processes: 'pid:[1]', pid: process.pid }],
  ['that an older version wrote, without a start', { boot: undefined, pid: process.pid }],
])('the lock of an owner %s is taken over when it has no heartbeat', async (_, changes) => {
  await leftBehind(changes);
  const waits: [number | undefined, string][] = [];
  const onWait = ({ owner, state }: LockHolder) => waits.push([owner?.pid, state]);
  expect(await withFileLock(path, async () => 'done', { ...quick, onWait })).toBe('done');
  expect(waits).toEqual([[changes.pid, 'unknown']]);
});

test('a number that belongs to another process now is that of an owner that has ended', async () => {
  await leftBehind({ started: '1' });
  expect(stateOf({ ...identityOf(), started: '1' })).toBe('ended');
  const onWait = () => expect(null).toBe('it waited');
  expect(await withFileLock(path, async () => 'done', { staleSeconds: 1000, onWait })).toBe('done');
});

/** Starts a process that becomes a zombie when it is killed: its parent never reaps it, and it is not a child of this process. */
async function unreapedProcess(): Promise<{ pid: number; parent: ChildProcess }> {
  const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000']);
  const [text] = (await once(parent.stdout, 'data')) as [Buffer];
  return { pid: Number(text.toString()), parent };
}

const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await sleep(5);
};

test('an owner that was killed and that its parent has not waited for has ended; one that is stopped lives', async () => {
  const { pid, parent } = await unreapedProcess();
  const owner = identityOf(pid);
  try {
    expect(stateOf(owner)).toBe('running');
    process.kill(pid, 'SIGSTOP');
    await until(() => stateOf(owner) === 'stopped');
    await leftBehind(owner);
    expect(await hasLiveOwner(path)).toBe(true);
    const refuse = (holder: LockHolder) => new Error(holderMessage(holder, (who) => `${who} works`, 'wait'));
    const hour = Date.now() / 1000 - 3600;
    utimesSync(path, hour, hour); // the owner sends no heartbeat
    await expect(withFileLock(path, async () => 'both', { ...quick, refuse })).rejects.toThrow(
      new RegExp(
        `^process ${pid} on \\S+ \\(since \\d{4}-[^)]+Z\\) works\n  it is stopped \\(Ctrl-Z, .*: kill -CONT ${pid} continues it, kill -KILL ${pid} ends it\n  wait$`,
      ),
    );
    process.kill(pid, 'SIGKILL');
    await until(() => stateOf(owner) === 'ended');
    process.kill(pid, 0); // the process id is still taken
    expect(await hasLiveOwner(path)).toBe(false);
    expect(await withFileLock(path, async () => 'alone', { staleSeconds: 1000, refuse })).toBe('alone');
  } finally {
    parent.kill('SIGKILL');
  }
});

test('a process waits for a stopped owner, however long, and says once that it is stopped', async () => {
  const { pid, parent } = await unreapedProcess();
  const said: string[] = [];
  try {
    await leftBehind(identityOf(pid));
    const onWait = ({ state }: LockHolder) => said.push(state);
    let isDone = false;
    const waiting = withFileLock(path, async () => (isDone = true), { staleSeconds: 0.05, pollSeconds: 0.005, onWait });
    await until(() => said.length === 1);
    process.kill(pid, 'SIGSTOP');
    await until(() => said.length === 2);
    await sleep(500); // ten timeouts
    expect({ isDone, said }).toEqual({ isDone: false, said: ['running', 'stopped'] });
    process.kill(pid, 'SIGKILL');
    await waiting;
  } finally {
    parent.kill('SIGKILL');
  }
});

describe('an owner that has lost its lock', () => {
  const folder = () => join(dir, 'new');
  const writes: [string, () => Promise<unknown>][] = [
    ['a whole file', () => writeFileAtomically(join(folder(), 'results.json'), '{}')],
    ['a file in a folder', () => writeFileAtomically(join(folder(), 'checkpoints', 'a.json'), '{}')],
    [
      'any other write',
      () => namingFile(join(folder(), 'lines'), async () => writeFileSync(join(folder(), 'lines'), '')),
    ],
  ];
  test.each(writes)('%s is not written', async (_, write) => {
    await withFileLock(
      path,
      async () => {
        await write();
        const before = readdirSync(folder(), { recursive: true });
        const taken = { ...identityOf(), host: 'elsewhere', pid: 7, id: 'another', since: '2026-01-02T03:04:05.678Z' };
        writeFileSync(path, JSON.stringify(taken));
        await expect(write()).rejects.toThrow(
          `this process has lost ${path}: process 7 on elsewhere has it since 2026-01-02T03:04:05.678Z\n  it writes nothing more`,
        );
        rmSync(path);
        await expect(write()).rejects.toThrow(`this process has lost ${path}: the file is gone\n`);
        await expect(write()).rejects.toBeInstanceOf(LockLostError);
        expect(mayWrite(folder())).toBe(false);
        expect(mayWrite(`${folder()}-of-another-run`)).toBe(true);
        expect(readdirSync(folder(), { recursive: true })).toEqual(before.filter((name) => name !== 'file.lock'));
      },
      { ...quick, protects: [folder()] },
    );
    await write(); // nobody works in the folder any more
  });

  test('it leaves the lock of the next owner alone', async () => {
    await withFileLock(path, async () => writeFileSync(path, '{"id":"another"}'), quick);
    expect(existsSync(path)).toBe(true);
  });
});

test('an owner on another machine is alive while its heartbeat is near, one on this machine whatever its heartbeat', async () => {
  expect(await hasLiveOwner(path)).toBe(false);
  for (const [boot, isAlive] of [
    [identityOf().boot, true],
    ['another', false],
  ] as const) {
    await leftBehind({ boot });
    expect(await hasLiveOwner(path)).toBe(true);
    for (const day of [-86_400, 86_400]) {
      const time = Date.now() / 1000 + day;
      utimesSync(path, time, time);
      expect(await hasLiveOwner(path)).toBe(isAlive);
    }
    rmSync(path);
  }
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  await leftBehind({ pid });
  expect(await hasLiveOwner(path)).toBe(false);
});

test.each([
  [
    'whose clock is set by a day',
    async () => {
      for (const day of [-1, 1, -1]) {
        utimesSync(path, Date.now() / 1000 + 86_400 * day, Date.now() / 1000 + 86_400 * day); // the owner's next heartbeat
        await sleep(300);
      }
    },
  ],
  ['that works for three times the timeout', () => sleep(1500)],
])('an owner %s keeps the lock', async (_, work) => {
  const order: string[] = [];
  const first = withFileLock(
    path,
    async () => {
      await work();
      order.push('first');
    },
    quick,
  );
  await until(() => existsSync(path));
  await withFileLock(path, async () => void order.push('second'), quick);
  await first;
  expect(order).toEqual(['first', 'second']);
});

test('an owner that writes nothing is notified of the loss of its lock too', async () => {
  const lost: string[] = [];
  let heard!: () => void;
  const hearing = new Promise<void>((resolve) => (heard = resolve));
  const end = onLockLost(({ message }) => {
    lost.push(message);
    heard();
  });
  await withFileLock(
    path,
    async () => {
      rmSync(path);
      await hearing;
    },
    { ...quick, protects: [dir] },
  );
  end();
  expect(lost[0]).toContain(`this process has lost ${path}: the file is gone`);
});
