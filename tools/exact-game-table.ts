// Writes docs/results/exact-game.md from the runs of experiments/exact_game.yaml:
//   npx bowyer --config-name archer_20q +experiment=exact_game hydra.sweep.dir=FOLDER
//   node --conditions=source --import tsx tools/exact-game-table.ts FOLDER... (several where the sweep was run in parts)
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mean } from '@bowyer/core';
import { epsilonGreedy, exactValues, optimalValues, startValue, towerModel } from '@bowyer/envs';
import { lineChart, type Series } from '@bowyer/logging';
import { finishedRuns, halfInterval, headCommit, tested, testReturn, type Run } from './sweep-runs.js';

const PAGE = 'docs/results/exact-game.md';
const CHART = 'exact-game.svg';
const NOISE = 0.7;
const MAX_STEPS = 20;

/** Mean return of the final test: of the policy that the run ended with. */
const lastReturn = (run: Run) => testReturn(tested(run, 'last')!);
/** [iteration, mean return] of the evaluations on the way. */
const curve = (run: Run) =>
  run.metrics.flatMap((line) =>
    'eval/episodic_return' in line ? [[line.iteration, line['eval/episodic_return']] as const] : [],
  );

const runs = finishedRuns(process.argv.slice(2));

const best = optimalValues(towerModel, { gamma: 1, horizon: MAX_STEPS });
const returnOf = (noise: number) =>
  startValue(towerModel, exactValues(towerModel, epsilonGreedy(towerModel, best, noise), { gamma: 1, horizon: MAX_STEPS })); // prettier-ignore
const [optimum, demonstrator, random] = [returnOf(0), returnOf(NOISE), returnOf(1)];
const myopic = startValue(
  towerModel,
  exactValues(towerModel, epsilonGreedy(towerModel, optimalValues(towerModel, { gamma: 0 }), 0), { gamma: 1, horizon: MAX_STEPS }), // prettier-ignore
);

const algorithms = [...new Set(runs.map(({ algorithm }) => algorithm))];
const ofAlgorithm = (name: string) =>
  runs.filter(({ algorithm }) => algorithm === name).sort((a, b) => Number(a.seed) - Number(b.seed));
const rows = algorithms.map((name) => {
  const own = ofAlgorithm(name);
  const returns = own.map(lastReturn);
  const cells = [
    `\`${name}\``,
    mean(returns).toFixed(3),
    halfInterval(returns, 3),
    returns.map((value) => value.toFixed(2)).join(', '),
    `${((100 * mean(returns)) / optimum).toFixed(0)} %`,
    mean(own.map(({ seconds }) => seconds)).toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
});

/** Mean over seeds at the evaluations that all of them have. */
function curveOf(name: string): Series {
  const curves = ofAlgorithm(name).map((run) => new Map(curve(run)));
  const iterations = [...curves[0].keys()].filter((iteration) => curves.every((curve) => curve.has(iteration)));
  return { name, points: iterations.map((x) => ({ x, y: mean(curves.map((curve) => curve.get(x)!)) })) };
}
const series = algorithms.map(curveOf).filter(({ points }) => points.length > 1);
const sampled = [0.1, 0.3, 0.5, 1];
const curveRows = series.map(({ name, points }) => {
  const at = sampled.map((share) => points[Math.max(0, Math.round(share * points.length) - 1)].y.toFixed(2));
  return `| \`${name}\` | ${at.join(' | ')} |`;
});

const page = `# What the methods reach on the exact game

Written by \`tools/exact-game-table.ts\` from the runs of \`experiments/exact_game.yaml\`, at commit ${headCommit()}.

\`\`\`sh
npx bowyer --config-name archer_20q +experiment=exact_game hydra.sweep.dir=FOLDER
node --conditions=source --import tsx tools/exact-game-table.ts FOLDER
\`\`\`

[tabular](../environments/tabular.md) has an optimum of ${optimum.toFixed(3)}. The demonstrator, ${100 * NOISE} % of whose turns are
random, has ${demonstrator.toFixed(3)}; random play has ${random.toFixed(3)}, and the best player for γ = 0 ${myopic.toFixed(3)}. Methods on a dataset learn from 1,000
episodes of the demonstrator, from scratch; the others begin with a policy that has imitated them. Settings were chosen on this
game with the same seeds: the table shows what a method can reach here, and does not rank methods.

Return of the policy that each run ended with, sampled, on 1,000 episodes: mean over seeds with the 95 % interval of Student's
t, each seed, share of the optimum, and seconds of a run on one core of a busy machine.

| method | return | interval | seeds | of the optimum | seconds |
|---|---|---|---|---|---|
${rows.join('\n')}

Learning curves, mean over seeds: return in evaluations of 300 episodes after so much of the iterations.

![Learning curves](${CHART})

| method | ${sampled.map((share) => `${100 * share} %`).join(' | ')} |
|---|${sampled.map(() => '---|').join('')}
${curveRows.join('\n')}
`;
mkdirSync(dirname(PAGE), { recursive: true });
writeFileSync(PAGE, page);
writeFileSync(
  join(dirname(PAGE), CHART),
  lineChart(series, { title: 'Mean return on the tabular game', xLabel: 'iteration', references: [{ name: 'optimum', y: optimum }] }), // prettier-ignore
);
process.stdout.write(`${PAGE}: ${runs.length} runs of ${algorithms.length} methods\n`);
