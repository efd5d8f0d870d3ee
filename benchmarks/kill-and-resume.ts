// Every algorithm killed with SIGKILL at random moments and started again ends with the bytes of a run that was never killed: metrics,
// episodes, test results and the kept weights. Tiny runs on the tabular game. Table in docs/results/kill-and-resume.md.
//   nice node --conditions=source --import tsx benchmarks/kill-and-resume.ts [KILLS [ALGORITHM,…]]
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { run } from '../packages/runner/test/command-line.js';

const loop = ['iterations=4', 'rollout_size=16', 'save_freq=1', 'eval_freq=2', 'eval_size=8'];
const dataset = ['epochs=3', 'batch_size=8', 'save_minutes=0', 'eval_size=8'];
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
  dpo: [...loop, ...start],
  opd: [...loop, ...start, 'lm_lr=1e-3'],
  agent_evol: [...loop, 'epochs=2', ...start, 'merge=cumulative'],
};

const [killsText = '4', only] = process.argv.slice(2);
const KILLS = Number(killsText);
const directory = mkdtempSync(join(tmpdir(), 'bowyer-kills-'));
const rng = new Rng(Date.now() % 2 ** 32);

/** Those that the two runs do not share byte for byte, and how many were compared. */
function differences(whole: string, killed: string): { compared: number; different: string[] } {
  const weights = readdirSync(join(whole, 'checkpoints'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.safetensors'))
    .map((file) => join('checkpoints', file));
  const files = ['metrics.jsonl', 'results.json', 'trajectories/rollout.jsonl', ...weights].filter((file) =>
    existsSync(join(whole, file)),
  );
  const isSame = (file: string) => existsSync(join(killed, file)) && readFileSync(join(whole, file)).equals(readFileSync(join(killed, file))); // prettier-ignore
  return { compared: files.length, different: files.filter((file) => !isSame(file)) };
}

async function check(name: string): Promise<string> {
  const command = (folder: string) => [
    ...['--config-name', 'archer_20q', 'env=tabular', 'preset=exact_game', `algorithm=${name}`],
    ...['slots=8', 'test_size=8', 'threads=1', 'demonstrations.count=48', 'policy.n_embd=16', ...settings[name]],
    ...(name === 'opd' ? [`teacher=${join(directory, 'bc-whole')}`] : []),
    `save_path=${join(directory, folder)}`,
    ...(settings[name].includes(start[0]) ? [`cache_dir=${join(directory, `${folder}-cache`)}`] : []),
  ];
  const started = performance.now();
  const whole = await run(command(`${name}-whole`));
  const duration = performance.now() - started;
  if (whole.code !== 0) return `| \`${name}\` | failed | | ${whole.stderr.trim().split('\n')[0]} |`;
  const moments = Array.from({ length: KILLS }, () => rng.uniform() * duration);
  let killed = 0;
  for (const killAfterMs of moments)
    if ((await run(command(`${name}-killed`), { killAfterMs })).signal === 'SIGKILL') killed++;
  const last = await run(command(`${name}-killed`));
  const { compared, different } = differences(join(directory, `${name}-whole`), join(directory, `${name}-killed`));
  const verdict = last.code === 0 && different.length === 0 ? 'equal' : `different: ${different.join(', ')}`;
  return `| \`${name}\` | ${killed} | ${compared} | ${verdict} |`;
}

const names = only?.split(',') ?? Object.keys(settings);
console.log('| algorithm | kills | files compared | bytes |\n|---|---|---|---|');
for (const name of names) console.log(await check(name));
rmSync(directory, { recursive: true, force: true });
