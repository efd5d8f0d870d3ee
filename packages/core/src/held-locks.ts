// Records the locks that this process holds, and the paths that they protect. An owner that has lost its lock, such as one that
// was suspended, then fails instead of writing between the lines of the next owner.
import { readFileSync } from 'node:fs';
import type { ProcessIdentity } from './process-identity.js';

/** The content of the lock file. */
export interface LockOwner extends ProcessIdentity {
  id: string;
  /** The time of acquisition, ISO 8601. */
  since: string;
}

interface HeldLock {
  path: string;
  id: string;
  /** The paths that the lock protects, including files whose names continue theirs. */
  protects: readonly string[];
}

const held = new Set<HeldLock>();
const listeners = new Set<(error: LockLostError) => void>();

/** Registers a listener, called when a write or heartbeat finds that a lock is lost; returns a function that removes it. */
export function onLockLost(listener: (error: LockLostError) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Checks a lock in the time between two writes. */
export function lookAtLock(lock: HeldLock): void {
  try {
    checkLock(lock);
  } catch {
    // If the lock is lost, `checkLock` has called the listeners. A file that cannot be read now is read again at the next check.
  }
}

/** Makes every write below `protects` check that this process still has the lock; returns a function that ends these checks. */
export function holdLock(lock: HeldLock): () => void {
  held.add(lock);
  return () => held.delete(lock);
}

/** Thrown if a lock that this process held was taken over by another process or removed. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';

  constructor(
    readonly path: string,
    /** Null if the lock no longer exists. */
    readonly owner: LockOwner | null,
  ) {
    const other = owner && `process ${owner.pid} on ${owner.host} has it since ${owner.since}`;
    super(
      `this process has lost ${path}: ${other ?? 'the file is gone'}\n` +
        '  it writes nothing more, so that the files are those of one process' +
        (owner === null ? '; the same command again resumes' : ''),
    );
  }
}

/** Checks that this process still has the locks that protect the path. @throws {LockLostError} if not */
export function checkHeld(path: string): void {
  for (const lock of held) if (lock.protects.some((root) => isBelow(path, root))) checkLock(lock);
}

/** Returns whether this process still has the locks that protect a path. */
export function mayWrite(path: string): boolean {
  try {
    checkHeld(path);
    return true;
  } catch (error) {
    if (error instanceof LockLostError) return false;
    throw error;
  }
}

const isBelow = (path: string, root: string): boolean =>
  path.startsWith(root) && (path.length === root.length || '/\\.'.includes(path[root.length]));

/** Reads a lock's file again. The file is opened each time, since only then a network file system asks its server for the newest state. */
function checkLock({ path, id }: HeldLock): void {
  const owner = readOwner(path);
  if (owner?.id === id) return;
  const error = new LockLostError(path, owner);
  for (const listener of listeners) listener(error);
  throw error;
}

function readOwner(path: string): LockOwner | null {
  try {
    return parseOwner(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Parses an owner; null if the text is incomplete or damaged. */
export function parseOwner(text: string): LockOwner | null {
  try {
    return JSON.parse(text) as LockOwner;
  } catch {
    return null;
  }
}
