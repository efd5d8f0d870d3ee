// Writes experiments/methods_20q/README.md from the runs of experiments/methods_20q/sweep.yaml, finished or not:
//   npx bowyer --config-name archer_20q +experiment=methods_20q hydra.sweep.dir=FOLDER
//   node --conditions=source --import tsx experiments/methods_20q/table.ts FOLDER... (several where the sweep was run in parts)
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mean } from '@bowyer/core';
import { finishedRuns, halfInterval, headCommit, tested, testReturn, type Run } from '../sweep-runs.js';

const PAGE = 'experiments/methods_20q/README.md';
const ALL_SEEDS = 3;

const runs = finishedRuns(process.argv.slice(2));

/** By seed: runs of a seed share the start, and test it on the same games. */
const starts = new Map(
  runs.flatMap((run) => {
    const start = tested(run, 'warm start');
    return start ? [[run.seed, start] as const] : [];
  }),
);
/** Chosen by evaluation, where a method evaluates on its way; else what the run ended with. */
const chosen = (run: Run) => tested(run, 'best') ?? tested(run, 'last')!;
const episodesOf = (run: Run) => run.metrics.reduce((sum, line) => sum + (line['rollout/episodes'] ?? 0), 0);
const winOf = (run: Run) => chosen(run).metrics['test/win_rate'];
const each = (values: readonly number[]) => values.map((value) => value.toFixed(2)).join(', ');

function rowOf(name: string): { order: number; row: string } {
  const own = runs
    .filter((run) => run.algorithm === name && starts.has(run.seed))
    .sort((a, b) => Number(a.seed) - Number(b.seed));
  const returns = own.map((run) => testReturn(chosen(run)));
  const before = own.map((run) => testReturn(starts.get(run.seed)!));
  const gains = returns.map((value, i) => value - before[i]);
  const one = own.length === 1 ? chosen(own[0]).interval : undefined;
  const cells = [
    `\`${name}\``,
    own.length,
    mean(before).toFixed(2),
    `**${mean(returns).toFixed(2)}**`,
    one ? `${one.low.toFixed(2)} … ${one.high.toFixed(2)} *` : halfInterval(returns, 2),
    each(returns),
    mean(gains).toFixed(2),
    halfInterval(gains, 2),
    mean(own.map(winOf)).toFixed(2),
    mean(own.map(episodesOf)).toFixed(0),
    mean(own.map(({ seconds }) => seconds)).toFixed(0),
  ];
  return { order: -mean(returns), row: `| ${cells.join(' | ')} |` };
}

const algorithms = [...new Set(runs.map(({ algorithm }) => algorithm))];
const rows = algorithms.map(rowOf).sort((a, b) => a.order - b.order);
const dates = [...new Set(runs.map(({ date }) => date))].sort();
const { items, optimalReturn } = runs[0].results;
const config = JSON.parse(readFileSync(join(runs[0].folder, 'run-config.json'), 'utf8')) as {
  demonstrations: { count: number };
};
const testSize = chosen(runs[0]).metrics['test/episodes'];
const startRows = [...starts]
  .sort(([a], [b]) => Number(a) - Number(b))
  .map(([seed, { metrics, interval }]) => {
    const range = interval ? `${interval.low.toFixed(2)} … ${interval.high.toFixed(2)}` : '–';
    return `| ${seed} | ${metrics['test/episodic_return'].toFixed(2)} | ${range} | ${metrics['test/win_rate'].toFixed(2)} |`;
  });

mkdirSync(dirname(PAGE), { recursive: true });
writeFileSync(
  PAGE,
  `# What every method reaches on ten words of Twenty Questions

Written by \`experiments/methods_20q/table.ts\` from ${runs.length} runs of \`experiments/methods_20q/sweep.yaml\` of ${dates.join(', ')}, after
commit ${headCommit()}. Column \`seeds\` is the number of finished runs; the experiment has ${ALL_SEEDS} seeds of each method.

\`\`\`sh
npx bowyer --config-name archer_20q +experiment=methods_20q hydra.sweep.dir=FOLDER
npx bowyer --config-name archer_20q preset=methods_20q algorithm=bc seed=0 save_path=START
npx bowyer --config-name archer_20q +experiment=methods_20q algorithm=offline_dpo seed=0 policy_lm=START \\
  hydra.sweep.dir=OFFLINE_DPO
npx bowyer --config-name archer_20q +experiment=methods_20q algorithm=opd seed=0 teacher=RUN hydra.sweep.dir=OPD
node --conditions=source --import tsx experiments/methods_20q/table.ts FOLDER OFFLINE_DPO OPD
\`\`\`

Settings: \`experiments/methods_20q/sweep.yaml\`, a policy of 0.11 M weights. Methods that play begin with the warm start of their
seed, which is \`bc\`, and play the same number of episodes. \`filteredbc\`, \`iql\`, \`awr\` and \`offline_archer\` play none: they
learn from scratch, from the ${config.demonstrations.count} games that the warm start imitates, with the rewards of these games
(\`filteredbc\` from the best tenth, which is few). \`offline_dpo\` begins with START, \`bc\` of the same settings, and learns from the
same games. The teacher of \`opd\` is the policy of \`reinforce_pp\` of the same seed. Learning rates are those of the small preset,
except of the group methods and \`dpo\`: raised after short tries on evaluation episodes of seed 0, never the test.

Returns are mean returns of sampled play on ${testSize} held-out episodes, of the policy that was best in evaluation (methods on a
dataset: that the run ended with).
${items?.shared ? `Same ${items.noun}, new games: ${items.played} ${items.noun} are too few to keep some of them out of training.` : ''} A perfect player with
the demonstrator's questions has ${optimalReturn?.toFixed(2)}. Intervals are 95 % intervals of Student's t over seeds, except * (one seed):
bootstrap over its test episodes. The gain is the difference to the warm start of the same seed. Seconds are those of a run, with
evaluations and test, on one thread of a busy machine with two cores; of a seed's first method they include the warm start,
where it was not cached.

| method | seeds | warm start | return | interval | each seed | gain | interval | win | episodes | seconds |
|---|---|---|---|---|---|---|---|---|---|---|
${rows.map(({ row }) => row).join('\n')}

The warm starts, with the bootstrap interval over the test's episodes:

| seed | return | interval | win |
|---|---|---|---|
${startRows.join('\n')}
`,
);
process.stdout.write(`${PAGE}: ${runs.length} runs of ${algorithms.length} methods\n`);
