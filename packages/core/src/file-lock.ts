// One process at a time: a file that is there while somebody works, on any file system that many machines may share.
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, readlink, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface FileLockOptions {
  /** Called once where somebody else has the lock, with that process's number if it can be read. */
  onWait?: (pid: number | null) => void;
  /** Without a sign of life for so long an owner counts as gone. Signs come every fifth of it. */
  staleSeconds?: number;
  /** How often a waiting process looks. */
  pollSeconds?: number;
}

/** What stands in the lock file. */
interface Owner {
  host: string;
  /** The space that process numbers are of: containers may have one host name and number processes apart. */
  processes: string;
  pid: number;
  /** Of this very lock. */
  id: string;
}

/**
 * Waits for the lock, works, and gives it back. The owner touches the file all the while; what a killed one left is
 * taken over at once if its process was of this machine, else when the file has not been touched for `staleSeconds`.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, options: FileLockOptions = {}): Promise<T> {
  const { staleSeconds = 10, pollSeconds = 0.2, onWait } = options;
  const owner: Owner = { ...(await thisMachine()), pid: process.pid, id: randomUUID() };
  await mkdir(dirname(path), { recursive: true });
  // Judged by how long this process has seen no touch, so that clocks may differ and a computer may sleep.
  let seen = { touched: NaN, at: performance.now() };
  for (let waits = 0; ; waits++) {
    const release = await acquire(path, owner, staleSeconds);
    if (release) return work().finally(release);
    const text = await readFile(path, 'utf8').catch(() => null);
    const touched = (await stat(path).catch(() => null))?.mtimeMs;
    if (text === null || touched === undefined) continue; // given back meanwhile
    if (touched !== seen.touched) seen = { touched, at: performance.now() };
    const other = parseOwner(text);
    if (isDead(other, owner) || performance.now() - seen.at > 1000 * staleSeconds) {
      await takeAway(path, text, owner.id);
      continue;
    }
    if (waits === 0) onWait?.(other?.pid ?? null);
    await sleep(1000 * pollSeconds);
  }
}

async function thisMachine(): Promise<Pick<Owner, 'host' | 'processes'>> {
  return { host: hostname(), processes: await readlink('/proc/self/ns/pid').catch(() => '') };
}

/** Gives what releases the lock; null where the file is there already. */
async function acquire(path: string, owner: Owner, staleSeconds: number): Promise<(() => Promise<void>) | null> {
  const handle = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null;
    throw error;
  });
  if (!handle) return null;
  await handle.writeFile(JSON.stringify(owner));
  const touch = () => void handle.utimes(new Date(), new Date()).catch(() => {}); // a missed sign of life does no harm
  const timer = setInterval(touch, 200 * staleSeconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await handle.close();
    const current = parseOwner(await readFile(path, 'utf8').catch(() => ''));
    if (current?.id === owner.id) await rm(path, { force: true }); // else it was taken over
  };
}

/** null where it is half written or damaged. */
function parseOwner(text: string): Owner | null {
  try {
    return JSON.parse(text) as Owner;
  } catch {
    return null;
  }
}

/** Whether the owner's process was of this machine and is no more. */
function isDead(other: Owner | null, { host, processes }: Owner): boolean {
  if (!other || other.host !== host || other.processes !== processes) return false;
  try {
    process.kill(other.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Removes the lock that holds `text`. One that another waiting process has put in its place meanwhile is put back. */
async function takeAway(path: string, text: string, id: string): Promise<void> {
  const aside = `${path}.${id}`;
  try {
    await rename(path, aside);
  } catch {
    return; // another one was quicker
  }
  if ((await readFile(aside, 'utf8')) !== text) await link(aside, path).catch(() => {}); // taken again: then it is theirs
  await rm(aside);
}
