// Identifies the process that a stored process number refers to, although numbers are reused, and containers and machines have their
// own.
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  host: string;
  /** On Linux: the identifier of this boot of the machine, the same in all its containers; empty elsewhere. */
  boot: string;
  /** On Linux: the namespace of process numbers, one per container; empty elsewhere. */
  processes: string;
  pid: number;
  /** The start time in the system's own form; null if the system does not provide it, as on Windows. */
  started: string | null;
}

/**
 * The state of a process. `stopped`: by Ctrl-Z, SIGSTOP or Slurm's suspend; `traced`: by a debugger. Both are alive. `unknown`: it ran
 * on another machine, in another container or before this boot, so this process cannot find out.
 */
export type ProcessState = 'running' | 'stopped' | 'traced' | 'ended' | 'unknown';

interface Seen {
  /** The state letter of `ps`. */
  state: string;
  started: string | null;
}

/** Identifies a living process that this process can look up; itself if no number is given. */
export function identityOf(pid = process.pid): ProcessIdentity {
  const started = (pid === process.pid ? (ownSight ??= see(pid)) : see(pid))?.started ?? null;
  return { ...thisPlace(), pid, started };
}

let ownSight: Seen | null = null;

/** Returns the state of a process. A zombie (a process that ended and that its parent has not waited for) counts as ended. */
export function stateOf(identity: ProcessIdentity): ProcessState {
  if (!isHere(identity)) return 'unknown';
  const seen = see(identity.pid);
  if (seen === null || /^[ZXx]/.test(seen.state)) return 'ended';
  const isOther = (identity.started ?? null) !== null && seen.started !== null && seen.started !== identity.started;
  if (isOther) return 'ended';
  return seen.state.startsWith('T') ? 'stopped' : seen.state.startsWith('t') ? 'traced' : 'running';
}

/** Whether the process can be looked up from here. Host names may repeat, boot identifiers do not. */
function isHere({ host, boot, processes }: ProcessIdentity): boolean {
  const own = thisPlace();
  return own.boot === '' ? host === own.host : boot === own.boot && processes === own.processes;
}

const quietly = <T>(read: () => T): T | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

let place: Omit<ProcessIdentity, 'pid' | 'started'> | null = null;
const thisPlace = () => (place ??= findPlace());

/** Identifies this machine. The Linux fields are empty if /proc is missing or shows other processes than this one's. */
function findPlace(): Omit<ProcessIdentity, 'pid' | 'started'> {
  const host = hostname();
  if (quietly(() => readlinkSync('/proc/self')) !== String(process.pid)) return { host, boot: '', processes: '' };
  const boot = quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? '';
  return { host, boot, processes: quietly(() => readlinkSync('/proc/self/ns/pid')) ?? '' };
}

/** Looks up a process. Null if no process has this number. */
function see(pid: number): Seen | null {
  const isOnLinux = thisPlace().boot !== '';
  const seen = isOnLinux ? seenInProc(pid) : process.platform === 'win32' ? null : seenByPs(pid);
  // The system may hide other users' processes, and Windows has no cheap query; then only the existence of the number is known.
  return seen ?? (exists(pid) ? { state: '', started: null } : null);
}

/** Reads /proc/PID/stat (proc_pid_stat(5)): field 3 is the state, field 22 the start in ticks since the boot. */
function seenInProc(pid: number): Seen | null {
  const text = quietly(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], started: fields[22 - 3] };
}

/** Reads the output of `ps` on macOS and the BSDs, where the start is in seconds. */
export function seenByPs(pid: number): Seen | null {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const columns = ['-o', 'state=', '-o', 'lstart=', '-p', String(pid)];
  const text = quietly(() =>
    execFileSync('ps', columns, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  const found = text === null ? null : /^\s*(\S+)\s+(.+?)\s*$/.exec(text);
  return found && { state: found[1], started: found[2] };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // another user's
  }
}
