// Tests two processes on one folder: a run is suspended, killed and left as a zombie, or deprived of its lock at random instants
// of its CPU time, and the same command is started again each time. A suspended owner must keep its folder, and a second process
// must refuse to start; a killed owner must be replaced immediately, although its process id is still in use; an owner without
// its lock must stop without writing. Each run must end with the bytes of an undisturbed one. Table in docs/reliability.md.
//   nice node --conditions=source --import tsx benchmarks/two-owners.ts [DISTURBANCES]
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, Rng, shellQuoted, stateOf } from '@bowyer/core';
import { builtProgram } from '@bowyer/testing';
import { repository, run } from '../packages/runner/test/command-line.js';
import { cpuMsOf } from './cpu-time.js';
import { differentFiles, report, tinyGame, undisturbed } from './tiny-runs.js';

const most = Number(process.argv[2] ?? '30');
const directory = mkdtempSync(join(tmpdir(), 'bowyer-owners-'));
const program = builtProgram();
const rng = new Rng(Date.now() % 2 ** 32);

const algorithms: Readonly<Record<string, readonly string[]>> = {
  bc: ['epochs=3', 'batch_size=8', 'save_minutes=0'],
  online_filteredbc: ['iterations=4', 'rollout_size=16', 'save_freq=1', 'eval_freq=2', 'warm_start.epochs=2'],
};

const command = (algorithm: string, to: string): string[] => [
  ...tinyGame,
  `algorithm=${algorithm}`,
  ...algorithms[algorithm],
  `save_path=${join(directory, to)}`,
  ...(algorithm === 'bc' ? [] : [`cache_dir=${join(directory, 'cache')}`]),
];

interface Started {
  pid: number;
  log: string;
  /** The parent never waits for the process, which therefore becomes a zombie when it ends. */
  parent: ChildProcess;
}

async function start(args: readonly string[], log: string): Promise<Started> {
  const words = [process.execPath, program, ...args].map(shellQuoted).join(' ');
  const parent = spawn('sh', ['-c', `${words} > ${shellQuoted(log)} 2>&1 & echo $!; exec sleep 100000`], {
    cwd: repository,
  });
  const [text] = (await once(parent.stdout, 'data')) as [Buffer];
  return { pid: Number(text.toString()), log, parent };
}

/** Reads all files except those that contain times. */
function contents(folder: string): Map<string, string> {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const kept = files.filter(
    (file) => !/(\.log|\.tmp.*|run\.lock.*)$|^\.hydra/.test(file) && statSync(join(folder, file)).isFile(),
  );
  return new Map(kept.map((file) => [file, readFileSync(join(folder, file), 'base64')]));
}

const counts = { suspended: 0, unreaped: 0, lost: 0, runs: 0 };
const problems: string[] = [];
const total = () => counts.suspended + counts.unreaped + counts.lost;

const hasEnded = ({ pid }: Started) => stateOf(identityOf(pid)) === 'ended';

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(5);
}

/** Returns whether a process owns the folder; the lock may still be the previous process's. */
function owns({ pid }: Started, folder: string): boolean {
  const lock = join(folder, 'run.lock');
  return existsSync(lock) && readFileSync(lock, 'utf8').includes(`"pid":${pid},`);
}

/** Suspends the owner: the same command must refuse to start, and nothing in the folder may change. */
async function suspend(owner: Started, algorithm: string, folder: string): Promise<void> {
  process.kill(owner.pid, 'SIGSTOP');
  await until(() => stateOf(identityOf(owner.pid)) !== 'running');
  if (!owns(owner, folder)) return void process.kill(owner.pid, 'SIGCONT'); // the process does not own it yet, or no longer
  const before = contents(folder);
  const { code, stderr } = await run(command(algorithm, `${algorithm}-disturbed`), { program });
  const isRefused = code === 1 && stderr.includes(`process ${owner.pid} on`) && stderr.includes('it is stopped');
  if (!isRefused) problems.push(`a suspended owner: the second process ended with ${code}: ${stderr.slice(0, 300)}`);
  for (const [file, text] of contents(folder))
    if (before.get(file) !== text) problems.push(`${file} changed beside a suspended owner`);
  counts.suspended++;
  process.kill(owner.pid, 'SIGCONT');
}

/** Lets another machine take over the folder: the owner must stop, and must not change the files. */
async function deprive(owner: Started, folder: string): Promise<void> {
  const lock = join(folder, 'run.lock');
  process.kill(owner.pid, 'SIGSTOP'); // as on a sleeping machine, in the middle of its work
  await until(() => stateOf(identityOf(owner.pid)) !== 'running');
  if (!owns(owner, folder)) return void process.kill(owner.pid, 'SIGCONT');
  writeFileSync(
    lock,
    JSON.stringify({ ...identityOf(), boot: 'another', host: 'elsewhere', id: 'another', since: 'now' }),
  );
  const before = contents(folder);
  process.kill(owner.pid, 'SIGCONT');
  await until(() => hasEnded(owner));
  const said = readFileSync(owner.log, 'utf8');
  // The system may complete a write that had begun when the process was stopped.
  const changed = [...contents(folder)].filter(([file, text]) => before.get(file) !== text).map(([file]) => file);
  if (changed.length > 1) problems.push(`after the loss of the lock these changed: ${changed.join(', ')}`);
  if (!said.includes('this process has lost')) problems.push(`after the loss of the lock: ${said.slice(-300)}`);
  counts.lost++;
  rmSync(lock);
}

/**
 * Disturbs a run.
 *
 * @returns whether the run has ended by itself
 */
async function disturb(owner: Started, algorithm: string, folder: string, cpuMs: number): Promise<boolean> {
  const at = rng.uniform() * cpuMs;
  await until(() => hasEnded(owner) || cpuMsOf(owner.pid) >= at);
  if (hasEnded(owner)) return true;
  const kind = rng.uniform();
  if (kind < 0.4) await suspend(owner, algorithm, folder);
  else if (kind < 0.55) await deprive(owner, folder);
  if (hasEnded(owner)) return !readFileSync(owner.log, 'utf8').includes('this process has lost');
  process.kill(owner.pid, 'SIGKILL');
  await until(() => hasEnded(owner));
  counts.unreaped++;
  return false;
}

/** Makes a new run and disturbs it until its end. */
async function disturbedRun(algorithm: string, whole: string, cpuMs: number): Promise<void> {
  const folder = join(directory, `${algorithm}-disturbed`);
  rmSync(folder, { recursive: true, force: true });
  const parents: ChildProcess[] = [];
  for (let starts = 0, isOver = false; !isOver; starts++) {
    const owner = await start(command(algorithm, `${algorithm}-disturbed`), join(directory, 'log'));
    parents.push(owner.parent);
    if (starts < 12 && total() < most) isOver = await disturb(owner, algorithm, folder, cpuMs);
    else {
      await until(() => hasEnded(owner));
      isOver = true;
    }
    const said = readFileSync(owner.log, 'utf8');
    if (said.includes('is at work on the run')) problems.push(`refused after a kill: ${said.slice(-300)}`);
  }
  for (const parent of parents) parent.kill('SIGKILL');
  counts.runs++;
  const files = differentFiles(whole, folder);
  if (files.length > 0) problems.push(`${algorithm}: different: ${files.join(', ')}`);
}

const wholes = new Map<string, number>();
for (const algorithm of Object.keys(algorithms)) {
  // The second run finds the warm start in its cache, like every disturbed run.
  await undisturbed(command(algorithm, `${algorithm}-whole`));
  rmSync(join(directory, `${algorithm}-whole`), { recursive: true });
  wholes.set(algorithm, await undisturbed(command(algorithm, `${algorithm}-whole`)));
}
while (total() < most)
  for (const [algorithm, cpuMs] of wholes)
    if (total() < most) await disturbedRun(algorithm, join(directory, `${algorithm}-whole`), cpuMs);

console.log(
  '| owner suspended, a second process started | killed and not waited for | lock taken away | runs | findings |\n|---|---|---|---|---|\n' +
    `| ${counts.suspended} | ${counts.unreaped} | ${counts.lost} | ${counts.runs} | ${problems.length} |`,
);
report(problems);
rmSync(directory, { recursive: true, force: true });
