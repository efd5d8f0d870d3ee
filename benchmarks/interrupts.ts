// Presses Ctrl-C once and twice in every phase of a run, and in every long task: once must end it with a message where it can be
// resumed, twice must end it within seconds; the same command must then end with the bytes of an uninterrupted run. It also
// starts ten runs at the same time with one cache of warm starts, which must be trained once. Table in docs/reliability.md.
//   nice node --conditions=source --import tsx benchmarks/interrupts.ts [CASE,… | shared]
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repository, run } from '../packages/runner/test/command-line.js';
import { resultFiles, tinyGame } from './tiny-runs.js';

const directory = mkdtempSync(join(tmpdir(), 'bowyer-interrupts-'));
const bin = join(repository, 'packages/runner/bin/bowyer.js');
const lines = (name: string, count: number, line: (i: number) => object) => {
  const path = join(directory, name);
  writeFileSync(path, Array.from({ length: count }, (_, i) => `${JSON.stringify(line(i))}\n`).join(''));
  return path;
};

interface Case {
  /** Returns the arguments of the command, which writes into `folder`. */
  command: (folder: string) => string[];
  /** The signal is sent when this has been printed, or when this file exists in the folder. */
  when: RegExp | string;
  /** The effect of the first Ctrl-C: the command stops at a checkpoint, or ends immediately. */
  first: 'stops' | 'ends immediately';
}

const loop = ['rollout_size=8', 'save_freq=1', 'eval_freq=2', 'iterations=6', 'warm_start.epochs=2', 'warmup_iter=0'];
const train =
  (...more: string[]) =>
  (folder: string) => [
    ...tinyGame,
    'algorithm=archer',
    'critic.width=8',
    ...loop,
    'epochs=1',
    ...more,
    `save_path=${folder}/run`,
    `cache_dir=${folder}/cache`,
  ];
const agent = join(directory, 'agent');
const model = `model=${join(agent, 'checkpoints', 'best')}`;
const imitation = [...tinyGame, 'algorithm=bc', 'epochs=1'];
const agentCommand = [...imitation, `save_path=${agent}`];

/** The cases, in each of which one phase takes most of the time. */
const cases: Readonly<Record<string, Case>> = {
  'train: warm start': { command: train('warm_start.epochs=40', 'iterations=1'), when: /imitating/, first: 'stops' },
  'train: rollout': { command: train('rollout_size=200', 'iterations=3'), when: 'run/metrics.jsonl', first: 'stops' },
  'train: update': {
    command: train('epochs=40', 'iterations=2'),
    when: 'run/trajectories/rollout.jsonl',
    first: 'stops',
  },
  'train: evaluation': {
    command: train('eval_size=4000', 'eval_freq=1', 'iterations=2'),
    when: /eval \d+\/4000/,
    first: 'stops',
  },
  'bc: first evaluation': {
    command: (folder) => [...imitation, 'eval_size=4000', `save_path=${folder}/run`],
    when: /eval .*\/4000/,
    first: 'stops',
  },
  'train: checkpoint': { command: train(), when: 'run/checkpoints', first: 'stops' },
  'train: final test': {
    command: train('test_size=300', 'iterations=1'),
    when: /testing the/,
    first: 'ends immediately',
  },
  bc: {
    command: (folder) => [
      ...imitation,
      'demonstrations.count=200',
      'epochs=20',
      'batch_size=4',
      'save_minutes=0',
      `save_path=${folder}/run`,
    ],
    when: 'run/checkpoints',
    first: 'stops',
  },
  evaluate: {
    command: (folder) => [
      ...tinyGame.slice(0, 2),
      'task=evaluate',
      'env=tabular',
      `checkpoint_path=${agent}`,
      'test_size=400',
      'slots=8',
      'threads=1',
      `save_path=${folder}/run`,
    ],
    when: 'run',
    first: 'ends immediately',
  },
  demonstrations: {
    command: (folder) => [
      '--config-name',
      'archer_20q',
      'task=demonstrations',
      'demonstrations.count=20000',
      `save_path=${folder}/run`,
    ],
    when: 'run',
    first: 'ends immediately',
  },
  generate: {
    command: (folder) => [
      '--config-name',
      'generate',
      model,
      `input=${lines('prompts.jsonl', 2000, (i) => ({ prompt: ' is'.repeat(1 + (i % 9)) }))}`,
      `output=${folder}-texts.jsonl`,
      'max_new_tokens=6',
      'threads=1',
      `save_path=${folder}/run`,
    ],
    when: 'run',
    first: 'ends immediately',
  },
  score: {
    command: (folder) => [
      '--config-name',
      'score',
      model,
      `input=${lines('pairs.jsonl', 4000, (i) => ({ prompt: ' is'.repeat(1 + (i % 9)), continuation: ' it' }))}`,
      `output=${folder}-scores.jsonl`,
      'threads=1',
      `save_path=${folder}/run`,
    ],
    when: 'run',
    first: 'ends immediately',
  },
  serve_model: {
    command: (folder) => ['--config-name', 'serve_model', model, 'port=0', `save_path=${folder}/run`],
    when: /served at/,
    first: 'stops',
  },
  serve_env: {
    command: (folder) => ['--config-name', 'serve_env', 'port=0', `save_path=${folder}/run`],
    when: /served at/,
    first: 'stops',
  },
};

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  said: string;
  /** The milliseconds from the last signal to the end; NaN if it ended before. */
  tookMs: number;
}

/**
 * Interrupts a command by Ctrl-C.
 *
 * @param times number of Ctrl-C, 0.3 s apart
 */
async function interrupted(args: readonly string[], folder: string, when: Case['when'], times: 1 | 2): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...args], { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] });
  let [said, isOver, signalled] = ['', false, NaN];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (said += piece.toString()));
  const ended = new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.on('close', (...end) => {
      isOver = true;
      resolve(end);
    }),
  );
  const isTime = () => (typeof when === 'string' ? existsSync(join(folder, when)) : when.test(said));
  while (!isOver && !isTime()) await sleep(10);
  await sleep(200);
  for (let n = 0; n < times && !isOver; n++) {
    if (n > 0) await sleep(300);
    signalled = performance.now();
    child.kill('SIGINT');
  }
  const [code, signal] = await ended;
  return { code, signal, said, tookMs: performance.now() - signalled };
}

/** Reads the final files of a run, except those that contain times. */
function kept(folder: string): Map<string, Buffer> {
  const lists = ['-texts.jsonl', '-scores.jsonl'].filter((file) => existsSync(folder + file));
  const files = [...resultFiles(`${folder}/run`).map((file) => `/run/${file}`), ...lists];
  return new Map(files.map((file) => [file, readFileSync(folder + file)]));
}

/**
 * Checks one case.
 *
 * @returns the observations and problems
 */
async function check(name: string, times: 1 | 2, whole: string): Promise<string> {
  const { command, when, first } = cases[name];
  const folder = join(directory, `${name.replaceAll(/\W+/g, '-')}-${times}`);
  const { code, signal, said, tookMs } = await interrupted(command(folder), folder, when, times);
  const end = signal ?? `exit code ${code}`;
  if (/Napi|Aborted|core dumped|\n\s+at /.test(said)) return `${end}, says: ${said.slice(-300)}`;
  if (!(signal === 'SIGINT' || code === 0)) return `${end}: ${said.slice(-300)}`;
  if (times === 1 && first === 'stops' && code !== 0) return `${end} instead of a stop`;
  if (times === 2 && tookMs > 5000) return `took ${(tookMs / 1000).toFixed(0)} s`;
  const shown = Number.isNaN(tookMs) ? `${end} before the signal` : `${end} after ${(tookMs / 1000).toFixed(1)} s`;
  if (name.startsWith('serve_')) return shown;
  const again = await run(command(folder));
  if (again.code !== 0) return `${shown}; again: exit code ${again.code}: ${again.stderr.slice(-300)}`;
  const [a, b] = [kept(whole), kept(folder)];
  if (a.size === 0) return `${shown}; again: nothing to compare`;
  const different = [...a].filter(([file, bytes]) => !b.get(file)?.equals(bytes)).map(([file]) => file);
  return `${shown}; again: ${different.length === 0 ? `${a.size} files equal` : `different: ${different.join(', ')}`}`;
}

async function checkCase(name: string): Promise<void> {
  const whole = join(directory, `${name.replaceAll(/\W+/g, '-')}-whole`);
  if (!name.startsWith('serve_')) {
    const { code, stderr } = await run(cases[name].command(whole));
    if (code !== 0) return console.log(`| ${name} | fails undisturbed: ${stderr.slice(-300)} | |`);
  }
  console.log(`| ${name} | ${await check(name, 1, whole)} | ${await check(name, 2, whole)} |`);
}

/** Starts ten runs with one cache. */
async function sharedStart(): Promise<void> {
  const runs = Array.from({ length: 10 }, (_, i) => join(directory, `shared-${i}`));
  const command = (folder: string) => [
    ...train('algorithm=grpo')
      .call(null, folder)
      .filter((word) => !/^(cache_dir|algorithm=archer|critic|epochs|warmup_iter)/.test(word)),
    `cache_dir=${directory}/shared-cache`,
  ];
  const ends = await Promise.all(runs.map((folder) => run(command(folder))));
  const trained = ends.filter(({ stdout }) => stdout.includes('imitating')).length;
  const results = new Set(
    runs.map((folder) => [...kept(folder)].map(([file, bytes]) => `${file} ${bytes.toString('base64')}`).join()),
  );
  const codes = ends.map(({ code }) => code).join(' ');
  console.log(
    `ten runs at once, one cache: exit codes ${codes}; ${trained} trained the start; ${results.size} different results`,
  );
  if (ends.some(({ code }) => code !== 0)) console.log(ends.find(({ code }) => code !== 0)!.stderr.slice(-500));
}

const names = process.argv[2]?.split(',') ?? [...Object.keys(cases), 'shared'];
if (names.some((name) => name !== 'shared')) {
  const { code, stderr } = await run(agentCommand);
  if (code !== 0) throw new Error(stderr);
  console.log('| task | Ctrl-C once | twice |\n|---|---|---|');
}
for (const name of names) await (name === 'shared' ? sharedStart() : checkCase(name));
rmSync(directory, { recursive: true });
