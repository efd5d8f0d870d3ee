// Makes sure that the process groups of agents' programs end when this process ends, even by SIGKILL. A shell script in another
// process watches for that, since Node has no access to Linux's parent-death signal and cannot run code at SIGKILL.
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * The shell script. It reads the id of each process group when the group begins (`+ ID`) and ends (`- ID`). When this process
 * ends, the script's standard input ends, and the script kills the remaining groups.
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

/** Registers a process group, which the script kills when this process ends. */
export function guardGroup(group: number): void {
  if (process.platform === 'win32') return;
  groups.add(group);
  if (guard === null) startGuard();
  else guard.stdin?.write(`+ ${group}\n`);
}

/** Removes a process group that has ended from the script's list, since the system may give its id to another group. */
export function releaseGroup(group: number): void {
  if (groups.delete(group)) guard?.stdin?.write(`- ${group}\n`);
}

/** Starts the shell script in a session of its own, so that signals of the terminal such as Ctrl-C do not reach it. */
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

/** Sends a signal to the processes of a group. @returns whether the group has any process */
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
