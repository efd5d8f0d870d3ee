// Mutual exclusion between processes: a lock file that exists while its owner works, on any file system that machines share.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { namingFile } from './disk-error.js';
import { holdLock, lookAtLock, parseOwner, type LockOwner } from './held-locks.js';
import { identityOf, stateOf, type ProcessState } from './process-identity.js';

export interface FileLockOptions {
  /** Reports that another process is seen to have the lock, and again that it has been stopped meanwhile. */
  onWait?: (holder: LockHolder) => void;
  /** Makes the error that is thrown when another living process has the lock, instead of waiting for it. */
  refuse?: (holder: LockHolder) => Error;
  /** Writes below these paths check that the lock is still this process's, and throw `LockLostError` where it is not. */
  protects?: readonly string[];
  /** For an owner that cannot be looked at, as on another machine: its lock is taken over after so long without a heartbeat. */
  staleSeconds?: number;
  /** Time between two attempts of a waiting process. */
  pollSeconds?: number;
}

export interface LockHolder {
  /** Null where the file cannot be read. */
  owner: LockOwner | null;
  state: ProcessState;
}

/** Attributes of a file may be a minute old on a network file system (nfs(5), acregmax). */
const STALE_SECONDS = 60;
const HEARTBEAT_SECONDS = 2;

/**
 * Waits for the lock, runs `work`, and releases the lock.
 *
 * The system says whether an owner on this machine lives: then it keeps the lock, stopped or not, and when it has ended the lock is
 * taken over at once. An owner on another machine is known by its heartbeat alone, the file's modification time.
 *
 * @throws what `refuse` makes, if it is given and another process has the lock
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, options: FileLockOptions = {}): Promise<T> {
  const { staleSeconds = STALE_SECONDS, protects = [] } = options;
  const owner: LockOwner = { ...identityOf(), id: randomUUID(), since: new Date().toISOString() };
  await namingFile(path, () => mkdir(dirname(path), { recursive: true }));
  const waiting = new Waiting(path, options);
  for (;;) {
    const release = await acquire(path, owner, staleSeconds);
    if (release) {
      const lock = { path, id: owner.id, protects };
      const forget = holdLock(lock);
      const looks = protects.length === 0 ? undefined : setInterval(lookAtLock, 1000 * HEARTBEAT_SECONDS, lock);
      looks?.unref();
      return work().finally(() => {
        clearInterval(looks);
        forget();
        return release();
      });
    }
    await waiting.once();
  }
}

/** A process in front of another one's lock. */
class Waiting {
  // Measured by this process's own clock, so that clocks of machines may differ and a computer may sleep.
  #seen = { touched: NaN, at: performance.now() };
  #told: ProcessState | null = null;

  constructor(
    private readonly path: string,
    private readonly options: FileLockOptions,
  ) {}

  /** Takes the lock away from an owner that is gone, or waits a little. @throws as `refuse` says */
  async once(): Promise<void> {
    const { pollSeconds = 0.2, refuse } = this.options;
    const text = await readFile(this.path, 'utf8').catch(() => null);
    const touched = (await stat(this.path).catch(() => null))?.mtimeMs;
    if (text === null || touched === undefined) return; // released since then
    const hasBeaten = this.#look(touched);
    const holder = holderOf(text);
    if (holder.state === 'ended' || (holder.state === 'unknown' && this.#isSilent))
      return this.#removeOnce(holder, text, touched);
    // A process that is being killed has no second heartbeat and is gone soon.
    if (refuse && (hasBeaten || isHalted(holder) || this.#isSilent)) throw refuse(holder);
    this.#tell(holder);
    await sleep(1000 * pollSeconds);
  }

  /**
   * Notes the time of the last heartbeat.
   *
   * @returns whether there has been a heartbeat since the last look
   */
  #look(touched: number): boolean {
    if (touched === this.#seen.touched) return false;
    const isFirst = Number.isNaN(this.#seen.touched);
    this.#seen = { touched, at: performance.now() };
    return !isFirst;
  }

  get #isSilent(): boolean {
    return performance.now() - this.#seen.at > 1000 * (this.options.staleSeconds ?? STALE_SECONDS);
  }

  #tell(holder: LockHolder): void {
    if (this.#told !== null && !(isHalted(holder) && this.#told !== holder.state)) return;
    this.#told = holder.state;
    this.options.onWait?.(holder);
  }

  /**
   * Removes a stale lock, one process after the other: what one has removed and another has locked again must not be removed by a
   * third.
   */
  #removeOnce({ owner }: LockHolder, text: string, touched: number): Promise<void> {
    const { staleSeconds, pollSeconds } = this.options;
    const remove = () => removeUnchanged(this.path, text, touched);
    return withFileLock(`${this.path}.${owner?.id ?? 'unreadable'}`, remove, { staleSeconds, pollSeconds });
  }
}

const holderOf = (text: string): LockHolder => {
  const owner = parseOwner(text);
  return { owner, state: owner === null ? 'unknown' : stateOf(owner) };
};

const isHalted = ({ state }: LockHolder): boolean => state === 'stopped' || state === 'traced';

/**
 * Returns a message about a lock that another process has, with what to do where that process does not work.
 *
 * @param sentence given `process 12 on HOST (since TIME)`
 * @param remedies lines that follow
 */
export function holderMessage(holder: LockHolder, sentence: (who: string) => string, ...remedies: string[]): string {
  const { owner } = holder;
  const who = owner === null ? 'another process' : `process ${owner.pid} on ${owner.host} (since ${owner.since})`;
  return [sentence(who), remedyOf(holder), ...remedies].filter(Boolean).join('\n  ');
}

/** Says what to do about an owner that does not work; empty for one that does. */
function remedyOf({ owner, state }: LockHolder): string {
  if (state === 'stopped')
    return `it is stopped (Ctrl-Z, SIGSTOP or Slurm's suspend): kill -CONT ${owner!.pid} continues it, kill -KILL ${owner!.pid} ends it`;
  return state === 'traced' ? 'a debugger has stopped it: continue or end it there' : '';
}

/** Returns the function that releases the lock; null where the file exists already. */
async function acquire(path: string, owner: LockOwner, staleSeconds: number): Promise<(() => Promise<void>) | null> {
  const create = () =>
    open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return null;
      throw error;
    });
  const handle = await namingFile(path, create);
  if (!handle) return null;
  try {
    await namingFile(path, () => handle.writeFile(JSON.stringify(owner)));
  } catch (error) {
    await handle.close();
    await rm(path, { force: true }); // nobody would own it
    throw error;
  }
  const touch = () => void handle.utimes(new Date(), new Date()).catch(() => {}); // a missed heartbeat does no harm
  const timer = setInterval(touch, 1000 * Math.min(HEARTBEAT_SECONDS, staleSeconds / 5));
  timer.unref();
  return async () => {
    clearInterval(timer);
    await handle.close();
    const current = parseOwner(await readFile(path, 'utf8').catch(() => ''));
    if (current?.id === owner.id) await rm(path, { force: true }); // else it was taken over
  };
}

/** Without a heartbeat for so long, an owner that cannot be looked at counts as gone, in milliseconds. */
const ALIVE_MS = 30_000;

/**
 * Returns whether a process that is alive has the lock, running or stopped. Where only the heartbeat can tell, its age is the difference
 * between two clocks that show the time of day: one in the future is as old as one in the past.
 */
export async function hasLiveOwner(path: string): Promise<boolean> {
  const touched = (await stat(path).catch(() => null))?.mtimeMs;
  if (touched === undefined) return false;
  const { state } = holderOf(await readFile(path, 'utf8').catch(() => ''));
  return state === 'unknown' ? Math.abs(Date.now() - touched) <= ALIVE_MS : state !== 'ended';
}

/** Removes the lock file if it still has this content and no later heartbeat. */
async function removeUnchanged(path: string, text: string, touched: number): Promise<void> {
  const now = await readFile(path, 'utf8').catch(() => null);
  const heartbeat = (await stat(path).catch(() => null))?.mtimeMs;
  if (now === text && heartbeat === touched) await rm(path, { force: true });
}
