// Kills the launcher and the jobs of a sweep with SIGKILL at random instants and starts it again until it ends: its table must
// equal an undisturbed sweep's, except for the seconds. The jobs are tiny runs of behaviour cloning on the tabular game, two at a
// time.
//   nice node --conditions=source --import tsx benchmarks/kill-sweep.ts [JOBS [KILLS [FOLDER]]]
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Rng } from '@bowyer/core';
import { builtProgram } from '@bowyer/testing';
import { repository } from '../packages/runner/test/command-line.js';
import { cpuMsOf } from './cpu-time.js';
import { kill, tinyGame } from './tiny-runs.js';

const [jobs, mostKills] = [process.argv[2] ?? '30', process.argv[3] ?? '40'].map(Number);
const directory = process.argv[4] ?? mkdtempSync(join(tmpdir(), 'bowyer-kill-sweep-'));
const program = builtProgram();
const rng = new Rng(Date.now() % 2 ** 32);

/** The sweep's mean CPU time between two kills; in wall-clock time, every job on a busy machine would die before it has begun. */
const MEAN_MS = 3000;

const command = (folder: string) => [
  program,
  '-m',
  ...tinyGame,
  'algorithm=bc',
  'epochs=2',
  'batch_size=8',
  'save_minutes=0',
  `seed=range(${jobs})`,
  'launcher=local',
  'launcher.jobs=2',
  'launcher.resume=true',
  `hydra.sweep.dir=${folder}`,
];

interface Start {
  pid: number;
  /** The exit code; null after a kill. */
  ended: Promise<number | null>;
  said: () => string;
}

function start(folder: string): Start {
  const child = spawn(process.execPath, command(folder), { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  // Jobs that outlive their launcher do not hold its pipes, so that 'close' follows 'exit' immediately.
  return { pid: child.pid!, ended: new Promise((resolve) => child.on('close', resolve)), said: () => text };
}

/** Lists the processes of running jobs, from their markers. */
function jobProcesses(folder: string): number[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name, 'sweep-job.json');
    if (!existsSync(path)) return [];
    const { status, process } = JSON.parse(readFileSync(path, 'utf8')) as {
      status: string;
      process: { pid: number } | null;
    };
    return status === 'started' && process !== null ? [process.pid] : [];
  });
}

const counts = { launcher: 0, job: 0, all: 0, starts: 0, refused: 0 };
const total = () => counts.launcher + counts.job + counts.all;

/** Kills the launcher, one job, or all of them. @returns whether the launcher is dead */
function killSome(launcher: number, folder: string): boolean {
  const atWork = jobProcesses(folder);
  const what = rng.uniform();
  if (what < 0.4 && atWork.length > 0) {
    counts.job += Number(kill(atWork[rng.integer(0, atWork.length - 1)]));
    return false;
  }
  if (what < 0.7) for (const pid of atWork) kill(pid);
  const isDead = kill(launcher);
  counts[what < 0.7 ? 'all' : 'launcher'] += Number(isDead);
  return isDead;
}

/** Waits until the processes of a sweep have used `ms` of CPU time, or the sweep has ended. */
async function pause(launcher: number, folder: string, ms: number, isEnded: () => boolean): Promise<void> {
  const last = new Map<number, number>();
  for (let used = 0; used < ms && !isEnded(); await sleep(20))
    for (const pid of [launcher, ...jobProcesses(folder)]) {
      const now = cpuMsOf(pid);
      used += Math.max(0, now - (last.get(pid) ?? now));
      last.set(pid, now);
    }
}

/** Starts the sweep again until it ends with exit code 0. */
async function killedSweep(folder: string): Promise<void> {
  for (;;) {
    counts.starts++;
    const { pid, ended, said } = start(folder);
    let isEnded = false;
    void ended.then(() => (isEnded = true));
    for (let isDead = false; !isDead && !isEnded && total() < mostKills;) {
      await pause(pid, folder, 2 * MEAN_MS * rng.uniform(), () => isEnded);
      if (!isEnded) isDead = killSome(pid, folder);
    }
    const code = await ended;
    if (code === 0) return;
    const isRefused = /still runs as process|is at work on the/.test(said());
    counts.refused += Number(isRefused);
    if (isRefused) await sleep(500); // a job of the dead launcher ends when it prints its next line
    else if (code !== null && code !== 1) throw new Error(`exit code ${code}: ${said()}`);
  }
}

/** Reads the table without the seconds. */
function table(folder: string): string {
  const text = readFileSync(join(folder, 'sweep.csv'), 'utf8').replaceAll(folder, 'FOLDER');
  return text.replaceAll(/,\d+\.\d,FOLDER/g, ',,FOLDER');
}

const [whole, killed] = ['whole', 'killed'].map((name) => join(directory, name));
const undisturbed = start(whole);
if ((await undisturbed.ended) !== 0) throw new Error(undisturbed.said());
rmSync(killed, { recursive: true, force: true });
await killedSweep(killed);
const isEqual = table(whole) === table(killed);
console.log(
  '| jobs | starts of the sweep | launcher killed | a job killed | all killed | refused, as a job still ran | table |',
);
console.log('|---|---|---|---|---|---|---|');
const { starts, launcher, job, all, refused } = counts;
console.log(
  `| ${jobs} | ${starts} | ${launcher} | ${job} | ${all} | ${refused} | ${isEqual ? 'equal' : 'different'} |`,
);
if (!isEqual) console.log(table(whole), table(killed));
process.exitCode = isEqual ? 0 : 1;
if (process.argv[4] === undefined) rmSync(directory, { recursive: true, force: true });
