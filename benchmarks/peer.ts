// Runs programs that do the same work, one job for each line of standard input, so that they can take turns.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Peer<Figures> {
  /** The line that it printed when it was ready. */
  about: string;
  /** Runs one piece of the peer's work. @param line the input, if pieces differ */
  next(line?: string): Promise<Figures>;
  close(): void;
}

/**
 * Starts a program of this folder, peers/SCRIPT.py with the Python of the variable PYTHON, or python3, or FOLDER/SCRIPT.ts with
 * this Node; it prints one line when it is ready.
 *
 * @returns null if that Python lacks the modules
 */
export async function openPeer<Figures>(script: string, settings: object): Promise<Peer<Figures> | null> {
  const isOurs = script.endsWith('.ts');
  const path = fileURLToPath(new URL(isOurs ? `./${script}` : `./peers/${script}`, import.meta.url));
  const program = isOurs ? process.execPath : (process.env.PYTHON ?? 'python3');
  const child = spawn(program, [...(isOurs ? process.execArgv : []), path, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', process.env.PEER_ERRORS ? 'inherit' : 'ignore'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => {
    const { value, done } = await lines.next();
    return done ? null : value;
  };
  const about = await line();
  if (about === null) {
    console.log(
      `${script} does not run here (PYTHON=/path/to/python with torch, transformers, trl; PEER_ERRORS=1 shows why)`,
    );
    return null;
  }
  return {
    about,
    async next(text = 'next') {
      child.stdin.write(`${text}\n`);
      const answer = await line();
      if (answer === null) throw new Error(`${script} ended without an answer; PEER_ERRORS=1 shows its messages`);
      return JSON.parse(answer) as Figures;
    },
    close: () => child.stdin.end(),
  };
}

/** Seconds. */
export interface Times {
  wall: number;
  cpu: number;
}

/** Measures a piece of work here, with the CPU time of all threads. */
export async function timesOf(work: () => Promise<void>): Promise<Times> {
  const [wall, cpu] = [performance.now() / 1e3, cpuSeconds()];
  await work();
  return { wall: performance.now() / 1e3 - wall, cpu: cpuSeconds() - cpu };
}

/** Returns the CPU seconds of this process, all threads. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Returns the peak resident memory of this process, in GiB. */
export const peakMemory = (): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 2 ** 20;
