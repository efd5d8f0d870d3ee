// Writes experiments/full_lists/README.md: the starts on all words and all cities, and what methods gain from them.
//   node --conditions=source --import tsx experiments/full_lists/table.ts START... -- SWEEP...
// START: a run of archer_20q_full or archer_city_full with algorithm=bc. SWEEP: a folder of runs of the same configs with
// checkpoint_path=the best agent of such a run, seed=0,1,2 and launcher=local.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mean, standardError } from '@bowyer/core';
import { finishedRuns, halfInterval, headCommit, tested, testReturn, type Results, type Run } from '../sweep-runs.js';

const PAGE = 'experiments/full_lists/README.md';

interface Config {
  env: { name: string };
  seed: number;
  demonstrations: Record<string, unknown>;
  policy: { modelType: string; nLayer: number; nEmbd: number };
  epochs: number;
  batchSize: number;
  lmLr: number;
  rolloutSize: number;
  /** Steps of the critic's targets, for methods with a critic; null: whole returns. */
  tdSteps?: number | null;
}

const json = <Content>(...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8')) as Content;
const configOf = (folder: string) => json<Config>(folder, 'run-config.json');
const titles: Record<string, string> = { twenty_questions: '157 words', guess_my_city: '91 cities' };
const fixed = (value: number) => value.toFixed(2);

function startRow(folder: string): string {
  const { env, seed, demonstrations, policy, epochs, batchSize, lmLr } = configOf(folder);
  const { policies } = json<Results>(folder, 'results.json');
  const { metrics, interval } = policies.at(-1)!;
  const cells = [
    titles[env.name],
    seed,
    `${String(demonstrations.count)}, noise ${String(demonstrations.noise)}`,
    `${policy.modelType}, ${policy.nLayer} layers of ${policy.nEmbd}`,
    `${epochs} epochs, batch ${batchSize}, rate ${lmLr}`,
    `**${fixed(metrics['test/episodic_return'])}**`,
    interval ? `${fixed(interval.low)} … ${fixed(interval.high)}` : '–',
    fixed(metrics['test/win_rate']),
    metrics['test/episodes'],
  ];
  return `| ${cells.join(' | ')} |`;
}

const stepsOf = ({ metrics }: Run) =>
  metrics.reduce((sum, line) => sum + (line['rollout/episodes'] ?? 0) * (line['rollout/episode_turns'] ?? 0), 0);

/** A critic on whole returns is another method than one on single steps. */
const methodOf = ({ algorithm, folder }: Run) =>
  `\`${algorithm}\`${configOf(folder).tdSteps === null ? ', whole returns' : ''}`;

/** The row of the runs of one game and one method. */
function gainRow(runs: readonly Run[]): string {
  const best = runs.map((run) => tested(run, 'best') ?? tested(run, 'last')!);
  const before = runs.map((run) => testReturn(tested(run, 'start') ?? tested(run, 'warm start')!));
  const after = best.map(testReturn);
  const gains = after.map((value, i) => value - before[i]);
  const { env, rolloutSize } = configOf(runs[0].folder);
  const { iteration: iterations } = runs[0].metrics.at(-1)!;
  const cells = [
    titles[env.name],
    methodOf(runs[0]),
    runs.map(({ seed }) => seed).join(', '),
    `${iterations} of ${rolloutSize}`,
    (mean(runs.map(stepsOf)) / 1000).toFixed(1),
    fixed(mean(before)),
    `**${fixed(mean(after))}**`,
    after.map(fixed).join(', '),
    fixed(mean(gains)),
    halfInterval(gains, 2),
    gains.length > 1 ? (mean(gains) / standardError(gains)).toFixed(1) : '–',
    fixed(mean(best.map(({ metrics }) => metrics['test/win_rate']))),
    mean(runs.map(({ seconds }) => seconds)).toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

const separator = process.argv.indexOf('--');
const starts = process.argv.slice(2, separator);
const runs = process.argv.slice(separator + 1).flatMap((folder) => finishedRuns([folder]));
/** By game and method, the seeds of each in order. */
const keyOf = (run: Run) => `${configOf(run.folder).env.name} ${methodOf(run)}`;
const groups = [...new Set(runs.map(keyOf))].map((key) =>
  runs.filter((run) => keyOf(run) === key).sort((a, b) => Number(a.seed) - Number(b.seed)),
);
const dates = [...new Set(runs.map(({ date }) => date))].sort().join(', ');

mkdirSync(dirname(PAGE), { recursive: true });
writeFileSync(
  PAGE,
  `# All 157 words and all 91 cities: starts and gains

Written by \`experiments/full_lists/table.ts\` from ${starts.length + runs.length} runs of ${dates}, not after commit ${headCommit()}.

\`\`\`sh
npx bowyer --config-name archer_20q_full algorithm=bc save_path=START
npx bowyer -m --config-name archer_20q_full algorithm=reinforce_pp seed=0,1,2 iterations=20 \\
  checkpoint_path=START/checkpoints/best launcher=local hydra.sweep.dir=SWEEP
npx bowyer --config-name archer_city_full algorithm=bc save_path=CITY_START
npx bowyer -m --config-name archer_city_full algorithm=reinforce_pp seed=0,1,2 iterations=20 \\
  checkpoint_path=CITY_START/checkpoints/best launcher=local hydra.sweep.dir=CITY_SWEEP
node --conditions=source --import tsx experiments/full_lists/table.ts START CITY_START -- SWEEP CITY_SWEEP
\`\`\`

Returns are mean returns of sampled play on test episodes: same words or cities as in training, new games.

## The starts

Behaviour cloning of the scripted expert, one thread. Rates and sizes were chosen before the test was played.

| game | seed | games | policy | training | return | 95 % interval | win | test episodes |
|---|---|---|---|---|---|---|---|---|
${starts.map(startRow).join('\n')}

## The gains

Every run begins with the start of its game above; the seed is that of the training episodes and of the test, so the
figures say how much the training differs between runs, not between starts. The policy tested is the one that was best in
evaluations on other episodes. The gain is the difference to the start on the same test episodes, its interval the 95 % interval
of Student's t over seeds, SE its standard error. The other methods ran the same command with their name, \`archer\` and
\`ppo\` with \`warmup_iter=4\` in addition; with whole returns, \`capacity=2500 td_steps=null\` too. Seconds are of a run on
one core: of 22 November while some twenty programs used the machine, of the 23rd while one did, so they do not compare methods.

| game | method | seeds | iterations | steps (1,000) | start | return | each seed | gain | interval | gain / SE | win | seconds |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
${groups.map(gainRow).join('\n')}
`,
);
process.stdout.write(`${PAGE}: ${runs.length} runs\n`);
