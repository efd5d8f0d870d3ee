// Excludes other processes by a lock file that exists while its owner works, on any file system that machines share.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { namingFile } from './disk-error.js';
import { holdLock, lookAtLock, parseOwner, type LockOwner } from './held-locks.js';
import { identityOf, stateOf, type ProcessState } from './process-identity.js';

export interface FileLockOptions {
  /** Reports that another process has the lock, and later if that process was stopped meanwhile. */
  onWait?: (holder: LockHolder) => void;
  /** If given, the error that it makes is thrown at once when another living process has the lock, instead of waiting. */
  refuse?: (holder: LockHolder) => Error;
  /** Paths that the lock protects: a write below them throws `LockLostError` if this process has lost the lock. */
  protects?: readonly string[];
  /** The seconds without a heartbeat after which the lock of an unobservable owner, as on another machine, is taken over. */
  staleSeconds?: number;
  pollSeconds?: number;
}

export interface LockHolder {
  /** The owner; null if the lock file cannot be read. */
  owner: LockOwner | null;
  state: ProcessState;
}

/** The default of `staleSeconds`: network file systems may report a file's attributes a minute late (nfs(5), acregmax). */
const STALE_SECONDS = 60;
const HEARTBEAT_SECONDS = 2;

/**
 * Waits for the lock, runs `work`, and releases the lock.
 *
 * For an owner on this machine, the system says whether its process exists: then it keeps the lock, even if it is stopped; once it has
 * ended, the lock is taken over at once. An owner on another machine is judged only by its heartbeat, the file's modification time.
 *
 * @throws the error made by `refuse`, if given, when another process has the lock
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

class Waiting {
  // The last heartbeat, and when it was seen by this process's monotonic clock, since clocks of machines differ and a computer may
  // sleep.
  #seen = { touched: NaN, at: performance.now() };
  #told: ProcessState | null = null;

  constructor(
    private readonly path: string,
    private readonly options: FileLockOptions,
  ) {}

  /** Takes over the lock of an owner that is gone, or else waits a little. @throws the error made by `refuse` */
  async once(): Promise<void> {
    const { pollSeconds = 0.2, refuse } = this.options;
    const text = await readFile(this.path, 'utf8').catch(() => null);
    const touched = (await stat(this.path).catch(() => null))?.mtimeMs;
    if (text === null || touched === undefined) return; // released in the meantime
    const hasBeaten = this.#look(touched);
    const holder = holderOf(text);
    if (holder.state === 'ended' || (holder.state === 'unknown' && this.#isSilent))
      return this.#removeOnce(holder, text, touched);
    // The owner may be about to exit, so the lock is refused only if the owner is certain to stay: it has sent a heartbeat while this
    // process waited, it is suspended (SIGSTOP, a debugger), or it has been silent for `staleSeconds`.
    if (refuse && (hasBeaten || isHalted(holder) || this.#isSilent)) throw refuse(holder);
    this.#tell(holder);
    await sleep(1000 * pollSeconds);
  }

  /** Records the time of the last heartbeat; returns whether there was one since the last call. */
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

  /** Removes a stale lock, under another lock: otherwise a process could remove the lock of the next owner. */
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
 * Returns a message about a lock that another process has, and about what to do if that process does not run.
 *
 * @param sentence makes the sentence from `process 12 on HOST (since TIME)`
 */
export function holderMessage(holder: LockHolder, sentence: (who: string) => string, ...remedies: string[]): string {
  const { owner } = holder;
  const who = owner === null ? 'another process' : `process ${owner.pid} on ${owner.host} (since ${owner.since})`;
  return [sentence(who), remedyOf(holder), ...remedies].filter(Boolean).join('\n  ');
}

/** Returns instructions about an owner that does not run; empty if it runs. */
function remedyOf({ owner, state }: LockHolder): string {
  if (state === 'stopped')
    return `it is stopped (Ctrl-Z, SIGSTOP or Slurm's suspend): kill -CONT ${owner!.pid} continues it, kill -KILL ${owner!.pid} ends it`;
  return state === 'traced' ? 'a debugger has stopped it: continue or end it there' : '';
}

/** Returns the function that releases the lock; null if the file already exists. */
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
    await rm(path, { force: true }); // an incomplete file would have no owner
    throw error;
  }
  const touch = () => void handle.utimes(new Date(), new Date()).catch(() => {}); // a missed heartbeat does no harm
  const timer = setInterval(touch, 1000 * Math.min(HEARTBEAT_SECONDS, staleSeconds / 5));
  timer.unref();
  return async () => {
    clearInterval(timer);
    await handle.close();
    const current = parseOwner(await readFile(path, 'utf8').catch(() => ''));
    if (current?.id === owner.id) await rm(path, { force: true }); // otherwise another process has taken it over
  };
}

/** The time without a heartbeat after which an unobservable owner counts as gone. */
const ALIVE_MS = 30_000;

/**
 * Returns whether a living process has the lock, running or stopped. A heartbeat in the future counts like one in the past, since
 * clocks differ.
 */
export async function hasLiveOwner(path: string): Promise<boolean> {
  const touched = (await stat(path).catch(() => null))?.mtimeMs;
  if (touched === undefined) return false;
  const { state } = holderOf(await readFile(path, 'utf8').catch(() => ''));
  return state === 'unknown' ? Math.abs(Date.now() - touched) <= ALIVE_MS : state !== 'ended';
}

/** Removes the lock file if its content and heartbeat have not changed. */
async function removeUnchanged(path: string, text: string, touched: number): Promise<void> {
  const now = await readFile(path, 'utf8').catch(() => null);
  const heartbeat = (await stat(path).catch(() => null))?.mtimeMs;
  if (now === text && heartbeat === touched) await rm(path, { force: true });
}
