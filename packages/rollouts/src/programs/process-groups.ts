// Ends the process groups of programs with this process, however this process ends: Node has neither Linux's parent-death signal
// nor a way to run code at SIGKILL.
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * A shell script that reads the ids of process groups when they begin (`+ ID`) and end (`- ID`). When this process ends, the
 * script's standard input ends, and it kills the remaining groups.
 */
const GUARD = `trap '' HUP INT TERM
groups=' '
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done`;

let guard: ChildProcess | null = null;
const groups = new Set<number>();

/** Registers a group that is killed when this process ends. */
export function guardGroup(group: number): void {
  if (process.platform === 'win32') return;
  groups.add(group);
  if (guard === null) startGuard();
  else guard.stdin?.write(`+ ${group}\n`);
}

/** Removes a group that has ended, since its id may be used again. */
export function releaseGroup(group: number): void {
  if (groups.delete(group)) guard?.stdin?.write(`- ${group}\n`);
}

/** Starts the script in a separate session, so that the terminal's signals do not reach it. */
function startGuard(): void {
  const child = spawn('/bin/sh', ['-c', GUARD], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const isGone = () => {
    if (guard === child) guard = null;
  };
  child.on('error', isGone);
  child.on('exit', isGone);
  child.stdin?.on('error', () => undefined); // the script has ended
  child.unref();
  (child.stdin as Socket | null)?.unref(); // the script must not keep this process alive
  child.stdin?.write([...groups].map((group) => `+ ${group}\n`).join(''));
  guard = child;
}

/** Sends a signal to the processes of a group. @returns whether there were any */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return false;
    if (code === 'EPERM') return true; // the remaining processes belong to another user, so that this process cannot end them
    throw error;
  }
}
