// Mutual exclusion between processes: a lock file that exists while its owner works, on any file system that machines share.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, readlink, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { namingFile } from './disk-error.js';

export interface FileLockOptions {
  /** Called once if another process has the lock, with that process's id if it can be read. */
  onWait?: (pid: number | null) => void;
  /** Makes the error that is thrown when another living process has the lock, instead of waiting for it. */
  refuse?: (owner: LockOwner | null) => Error;
  /** Timeout of the owner's heartbeat: a lock without one for so long is taken over. The owner sends five heartbeats in this time. */
  staleSeconds?: number;
  /** Time between two attempts of a waiting process. */
  pollSeconds?: number;
}

/** Content of the lock file. */
export interface LockOwner {
  host: string;
  /** The namespace of process ids: containers may share a host name and have process ids of their own. */
  processes: string;
  pid: number;
  /** Unique for each lock. */
  id: string;
}

/**
 * Waits for the lock, runs `work`, and releases the lock. The owner's heartbeat is the file's modification time. The lock of a
 * killed process is taken over at once if the process ran on this machine, otherwise after `staleSeconds` without a heartbeat.
 *
 * @throws what `refuse` makes, if it is given and another process has the lock
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, options: FileLockOptions = {}): Promise<T> {
  const { staleSeconds = 10, pollSeconds = 0.2, onWait, refuse } = options;
  const owner: LockOwner = { ...(await thisMachine()), pid: process.pid, id: randomUUID() };
  await mkdir(dirname(path), { recursive: true });
  // Measured by this process's own clock, so that clocks of machines may differ and a computer may sleep.
  let seen = { touched: NaN, at: performance.now() };
  for (let waits = 0; ; waits++) {
    const release = await acquire(path, owner, staleSeconds);
    if (release) return work().finally(release);
    const text = await readFile(path, 'utf8').catch(() => null);
    const touched = (await stat(path).catch(() => null))?.mtimeMs;
    if (text === null || touched === undefined) continue; // released since then
    const other = parseOwner(text);
    if (touched !== seen.touched) {
      // A second heartbeat shows that the owner lives; its process id alone may have become another process's.
      if (refuse && !Number.isNaN(seen.touched)) throw refuse(other);
      seen = { touched, at: performance.now() };
    }
    if (isDead(other, owner) || performance.now() - seen.at > 1000 * staleSeconds) {
      // One process after the other: what one has removed and another has locked again must not be removed by a third.
      await withFileLock(`${path}.${other?.id ?? 'unreadable'}`, () => removeUnchanged(path, text, touched), {
        staleSeconds,
        pollSeconds,
      });
      continue;
    }
    if (waits === 0) onWait?.(other?.pid ?? null);
    await sleep(1000 * pollSeconds);
  }
}

async function thisMachine(): Promise<Pick<LockOwner, 'host' | 'processes'>> {
  return { host: hostname(), processes: await readlink('/proc/self/ns/pid').catch(() => '') };
}

/** Returns the function that releases the lock; null where the file exists already. */
async function acquire(path: string, owner: LockOwner, staleSeconds: number): Promise<(() => Promise<void>) | null> {
  const handle = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null;
    throw error;
  });
  if (!handle) return null;
  try {
    await namingFile(path, () => handle.writeFile(JSON.stringify(owner)));
  } catch (error) {
    await handle.close();
    await rm(path, { force: true }); // nobody would own it
    throw error;
  }
  const touch = () => void handle.utimes(new Date(), new Date()).catch(() => {}); // a missed heartbeat does no harm
  const timer = setInterval(touch, 200 * staleSeconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await handle.close();
    const current = parseOwner(await readFile(path, 'utf8').catch(() => ''));
    if (current?.id === owner.id) await rm(path, { force: true }); // else it was taken over
  };
}

/** Without a heartbeat for so long, an owner counts as gone, in milliseconds. Owners send one every two seconds. */
const ALIVE_MS = 30_000;

/**
 * Whether a process that is alive has the lock. The age of its heartbeat is the difference between two clocks that show the time
 * of day: one in the future is as old as one in the past.
 */
export async function hasLiveOwner(path: string): Promise<boolean> {
  const touched = (await stat(path).catch(() => null))?.mtimeMs;
  if (touched === undefined || Math.abs(Date.now() - touched) > ALIVE_MS) return false;
  const owner = parseOwner(await readFile(path, 'utf8').catch(() => ''));
  return !isDead(owner, await thisMachine());
}

/** null where the file is partly written or damaged. */
function parseOwner(text: string): LockOwner | null {
  try {
    return JSON.parse(text) as LockOwner;
  } catch {
    return null;
  }
}

/** Whether the owner's process ran on this machine and has ended. */
function isDead(other: LockOwner | null, { host, processes }: Pick<LockOwner, 'host' | 'processes'>): boolean {
  if (!other || other.host !== host || other.processes !== processes) return false;
  try {
    process.kill(other.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Removes the lock file if it still has this content and no later heartbeat. */
async function removeUnchanged(path: string, text: string, touched: number): Promise<void> {
  const now = await readFile(path, 'utf8').catch(() => null);
  const heartbeat = (await stat(path).catch(() => null))?.mtimeMs;
  if (now === text && heartbeat === touched) await rm(path, { force: true });
}
