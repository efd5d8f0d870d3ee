// The locks that this process has, and what they protect: before each write below such a path the lock is looked at, so that an owner
// that has lost it, such as one that was suspended on another machine, stops instead of writing between the lines of the next one.
import { readFileSync } from 'node:fs';
import type { ProcessIdentity } from './process-identity.js';

/** Content of the lock file. */
export interface LockOwner extends ProcessIdentity {
  /** Unique for each lock. */
  id: string;
  /** ISO 8601. */
  since: string;
}

interface HeldLock {
  path: string;
  id: string;
  /** Paths whose files, and whose neighbours with a longer name, belong to the lock. */
  protects: readonly string[];
}

const held = new Set<HeldLock>();
const listeners = new Set<(error: LockLostError) => void>();

/**
 * Calls back each time a write or a heartbeat sees that this process has lost a lock.
 *
 * @returns a function that ends the calls
 */
export function onLockLost(listener: (error: LockLostError) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Looks at a lock between writes, which may be far apart. */
export function lookAtLock(lock: HeldLock): void {
  try {
    checkLock(lock);
  } catch {
    // checkLock has called the listeners where the lock is lost; a file that cannot be read now is read again at the next look.
  }
}

/** Makes writes below `protects` need the lock from now on. @returns a function that ends that */
export function holdLock(lock: HeldLock): () => void {
  held.add(lock);
  return () => held.delete(lock);
}

/** The error for a lock of a folder or file that has become another process's, or was removed. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';

  constructor(
    readonly path: string,
    /** Null if the lock does not exist any more. */
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

/**
 * Checks, before each write, that this process still has the locks above the path.
 *
 * @throws {LockLostError} where the path is below a lock that this process had and has lost
 */
export function checkHeld(path: string): void {
  for (const lock of held) if (lock.protects.some((root) => isBelow(path, root))) checkLock(lock);
}

/** Returns whether this process may write there, as far as locks decide it. */
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

/** Reads a lock's file again. It is opened each time: that is when a network file system asks its server for the newest state. */
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

/** Parses an owner; null where the text is partly written or damaged. */
export function parseOwner(text: string): LockOwner | null {
  try {
    return JSON.parse(text) as LockOwner;
  } catch {
    return null;
  }
}
