// Kills runs of every algorithm with SIGKILL at random instants and starts them again: each must end with the bytes of an
// undisturbed run in metrics, episodes, test results and stored weights. The runs are tiny ones on the tabular game, and each is
// killed until it ends by itself or was killed often enough. FOLDER stores the counts, so that an interrupted command resumes;
// PAGE gets the results so far.
//   nice node --conditions=source --import tsx benchmarks/kill-and-resume.ts [KILLS [ALGORITHM,… [FOLDER [PAGE]]]]
// A hundred kills of each algorithm, into the page of results:
//   nice node --conditions=source --import tsx benchmarks/kill-and-resume.ts 100 all FOLDER benchmarks/kill-and-resume.md
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { builtProgram } from '@bowyer/testing';
import { run } from '../packages/runner/test/command-line.js';
import { cpuMsOf } from './cpu-time.js';
import { differentFiles, resultFiles, tinyGame, undisturbed } from './tiny-runs.js';

const loop = ['iterations=4', 'rollout_size=16', 'save_freq=1', 'eval_freq=2'];
const dataset = ['epochs=3', 'batch_size=8', 'save_minutes=0'];
const critic = ['critic.width=8', 'critic_lr=1e-2'];
const start = ['warm_start.epochs=2'];

const settings: Readonly<Record<string, readonly string[]>> = {
  bc: dataset,
  filteredbc: dataset,
  iql: [...dataset, ...critic, 'warmup_epochs=1'],
  awr: [...dataset, ...critic, 'warmup_epochs=1'],
  offline_archer: [...dataset, ...critic, 'warmup_epochs=1'],
  offline_dpo: ['epochs=2', 'batch_size=2', 'save_minutes=0', 'nll_coefficient=0.1', 'lm_lr=1e-3'],
  archer: [...loop, ...start, ...critic, 'epochs=2', 'warmup_iter=1'],
  chai: [...loop, ...start, ...critic, 'epochs=2'],
  online_filteredbc: [...loop, ...start],
  ppo: [...loop, ...start, 'kl_coefficient=0.01'],
  grpo: [...loop, ...start, 'kl_coefficient=0.01', 'sampling_rounds=2'],
  rloo: [...loop, ...start],
  reinforce_pp: [...loop, ...start],
  gigpo: [...loop, ...start],
  hgpo: [...loop, ...start],
  dpo: [...loop, ...start],
  opd: [...loop, ...start, 'lm_lr=1e-3'],
  dagger: [...loop, ...start, 'window=2'],
  agent_evol: [...loop, 'epochs=2', ...start, 'merge=cumulative'],
};

const [killsText = '4', only = 'all', folder, page] = process.argv.slice(2);
const directory = folder ?? mkdtempSync(join(tmpdir(), 'bowyer-kills-'));
const names = Object.keys(settings);
const mine = only === 'all' ? names : only.split(',');
const mostKills = Number(killsText);
const program = builtProgram();
const rng = new Rng(Date.now() % 2 ** 32);

/** A run that was killed until it ended; a line of the algorithm's file. */
interface Chain {
  kills: number;
  compared: number;
  /** Files that differ from the undisturbed run's, or the reason why the run failed. */
  different: string[];
}

const chainsFile = (name: string) => join(directory, `${name}.jsonl`);

function chainsOf(name: string): Chain[] {
  if (!existsSync(chainsFile(name))) return [];
  const lines = readFileSync(chainsFile(name), 'utf8').split('\n').slice(0, -1); // the last line may be incomplete
  return lines.map((line) => JSON.parse(line) as Chain);
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const killsOf = (name: string) => sum(chainsOf(name).map(({ kills }) => kills));

function command(name: string, to: string): string[] {
  const evaluates = name !== 'offline_dpo';
  return [
    ...tinyGame.filter((word) => evaluates || !word.startsWith('eval_size=')),
    `algorithm=${name}`,
    ...settings[name],
    ...(name === 'opd' ? [`teacher=${join(directory, 'bc-whole')}`] : []),
    `save_path=${join(directory, to)}`,
    ...(settings[name].includes(start[0]) ? [`cache_dir=${join(directory, `${to}-cache`)}`] : []),
  ];
}

interface Whole {
  folder: string;
  /** CPU time, in milliseconds. */
  cpuMs: number;
}

/** Makes the undisturbed run, once. */
async function wholeRun(name: string): Promise<Whole> {
  if (name === 'opd') await wholeRun('bc');
  const folder = join(directory, `${name}-whole`);
  const cpuFile = `${folder}.cpu`;
  if (!existsSync(cpuFile)) {
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(cpuFile, String(await undisturbed(command(name, `${name}-whole`))));
  }
  return { folder, cpuMs: Number(readFileSync(cpuFile, 'utf8')) };
}

const MOST_KILLS = 10;

/** Makes a new run, killed at random instants until it ends by itself or was killed `most` times. */
async function chain(name: string, whole: Whole, most: number): Promise<Chain> {
  const to = `${name}-killed`;
  for (const left of [to, `${to}-cache`]) rmSync(join(directory, left), { recursive: true, force: true });
  for (let kills = 0; ; kills++) {
    // The instants are in CPU time, since on a busy machine most of the wall-clock time passes before the first line is written.
    const killAtMs = kills === most ? Infinity : rng.uniform() * whole.cpuMs;
    const killWhen = (pid: number) => cpuMsOf(pid) >= killAtMs;
    const { signal, code, stderr } = await run(command(name, to), { program, killWhen });
    if (signal === 'SIGKILL') continue;
    const different = differentFiles(whole.folder, join(directory, to));
    if (code !== 0) different.push(`exit code ${code}: ${stderr.trim().split('\n')[0]}`);
    if (different.length > 0) renameSync(join(directory, to), join(directory, `${to}-${Date.now()}`)); // kept for inspection
    return { kills, compared: resultFiles(whole.folder).length, different };
  }
}

/** Makes one run and adds it to the algorithm's file. */
async function addChain(name: string): Promise<void> {
  const one = await chain(name, await wholeRun(name), Math.min(MOST_KILLS, mostKills - killsOf(name)));
  appendFileSync(chainsFile(name), `${JSON.stringify(one)}\n`);
}

const header = '| algorithm | kills | runs | files compared in each | bytes |\n|---|---|---|---|---|';

function row(name: string): string {
  const chains = chainsOf(name);
  const different = [...new Set(chains.flatMap((one) => one.different))];
  if (different.length > 0) process.exitCode = 1;
  const verdict = different.length === 0 ? 'equal' : `different: ${different.join(', ')}`;
  return `| \`${name}\` | ${killsOf(name)} | ${chains.length} | ${chains[0].compared} | ${verdict} |`;
}

function writePage(): void {
  const rows = names.filter((name) => chainsOf(name).length > 0).map(row);
  const total = sum(names.map(killsOf));
  const text = `# Every algorithm, killed and resumed

Written by the command, ${new Date().toISOString().slice(0, 10)}. Each algorithm in a tiny run on the game \`tabular\`:
the run is killed with SIGKILL at a random instant of its CPU time and started again, until it ends by itself; then it is
compared with a run that was never killed: metrics, episodes, test results and all weights that a finished run keeps. A kill
that came after the end is not counted. ${total.toLocaleString('en')} kills in all.

\`\`\`sh
nice node --conditions=source --import tsx benchmarks/kill-and-resume.ts 100 all FOLDER benchmarks/kill-and-resume.md
\`\`\`

${header}
${rows.join('\n')}
`;
  writeFileSync(page, text);
}

mkdirSync(directory, { recursive: true });
// The algorithms take turns run by run, so that an interrupted command has results of all of them.
for (let left = [...mine]; left.length > 0; left = left.filter((name) => killsOf(name) < mostKills))
  for (const name of left) {
    if (killsOf(name) < mostKills) await addChain(name);
    if (page !== undefined) writePage();
  }
console.log([header, ...mine.filter((name) => chainsOf(name).length > 0).map(row)].join('\n'));
if (folder === undefined) rmSync(directory, { recursive: true, force: true });
