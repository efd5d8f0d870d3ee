// Writes experiments/exact_game/README.md from the runs of +experiment=exact_game:
//   npx bowyer --config-name archer_20q +experiment=exact_game hydra.sweep.dir=FOLDER
//   node --conditions=source --import tsx experiments/exact_game/table.ts FOLDER... (several where the sweep was run in parts)
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mean } from '@bowyer/core';
import { epsilonGreedy, optimalValues, towerModel, type TabularPolicy } from '@bowyer/envs';
import { lineChart, type Series } from '@bowyer/logging';
import {
  awrPolicy,
  expectileValues,
  imitated,
  iqlPolicy,
  keptVisits,
  reinforceBcPolicy,
  returnOf as valueOf,
  returnQuantile,
} from './theory.js';
import { finishedRuns, halfInterval, headCommit, tested, testReturn, type Run } from '../sweep-runs.js';

const PAGE = 'experiments/exact_game/README.md';
const CHART = 'exact-game.svg';
const NOISE = 0.7;
const MAX_STEPS = 20;

/** The options in run-config.json that the limits depend on, each of its own methods, and the number of iterations. */
interface Config {
  gamma: number;
  critic: { expectile: number };
  filter: { quantile: number };
  awr: { temperature: number; maxWeight: number };
  loss: { bcCoefficient: number };
  rollout: { size: number };
  iterations: number;
  demonstrations: { count: number };
}

/** Mean return of the final test: of the policy that the run ended with. */
const lastReturn = (run: Run) => testReturn(tested(run, 'last')!);
/** [iteration, mean return] of the evaluations on the way. */
const curve = (run: Run) =>
  run.metrics.flatMap((line) =>
    'eval/episodic_return' in line ? [[line.iteration, line['eval/episodic_return']] as const] : [],
  );

const runs = finishedRuns(process.argv.slice(2));

const best = optimalValues(towerModel, { gamma: 1, horizon: MAX_STEPS });
const returnOf = (policy: TabularPolicy) => valueOf(towerModel, policy, MAX_STEPS);
const mu = epsilonGreedy(towerModel, best, NOISE);
const greedy = epsilonGreedy(towerModel, best, 0);
const [optimum, demonstrator, random] = [greedy, mu, epsilonGreedy(towerModel, best, 1)].map(returnOf);
const myopic = returnOf(epsilonGreedy(towerModel, optimalValues(towerModel, { gamma: 0 }), 0));

/** The policy that a method converges to under the settings of its runs; null where no formula is known. */
const limits: Record<string, ((config: Config) => TabularPolicy) | null> = {
  bc: () => mu,
  filteredbc: ({ filter }) => filtered(mu, filter.quantile),
  awr: ({ gamma, awr }) => awrPolicy(towerModel, mu, { gamma, ...awr }),
  iql: ({ gamma, critic, awr }) => iqlPolicy(mu, expectileValues(towerModel, mu, { gamma, ...critic }), awr),
  offline_archer: ({ gamma, critic, loss }) =>
    reinforceBcPolicy(mu, expectileValues(towerModel, mu, { gamma, ...critic }), loss.bcCoefficient),
  online_filteredbc: ({ filter }) =>
    Array.from({ length: 20 }).reduce<TabularPolicy>((policy) => filtered(policy, filter.quantile), mu),
  agent_evol: evolved,
  dpo: null,
};

/** The imitation of the episodes at or above a quantile of their returns. */
function filtered(policy: TabularPolicy, quantile: number): TabularPolicy {
  const cutoff = returnQuantile(towerModel, policy, MAX_STEPS, quantile);
  const kept = keptVisits(towerModel, policy, MAX_STEPS, ({ episodicReturn }) => episodicReturn > cutoff - 1e-6);
  return imitated([{ visits: kept, times: 1 }]);
}

/** The imitation of the demonstrations that won and of the winning episodes of the iteration before, again and again. */
function evolved({ iterations, rollout, demonstrations }: Config): TabularPolicy {
  const wins = (policy: TabularPolicy) => keptVisits(towerModel, policy, MAX_STEPS, ({ won }) => won);
  const expert = { visits: wins(mu), times: demonstrations.count };
  let policy: TabularPolicy = mu;
  for (let i = 0; i < iterations; i++) policy = imitated([expert, { visits: wins(policy), times: rollout.size }]);
  return policy;
}

function limitOf(run: Run): string {
  const limit = run.algorithm in limits ? limits[run.algorithm] : () => greedy;
  if (limit === null) return '–';
  const { algorithm, demonstrations } = JSON.parse(readFileSync(join(run.folder, 'run-config.json'), 'utf8')) as {
    algorithm: Omit<Config, 'iterations' | 'demonstrations'>;
    demonstrations: Config['demonstrations'];
  };
  return returnOf(limit({ ...algorithm, demonstrations, iterations: run.metrics.at(-1)!.iteration })).toFixed(3);
}

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
    limitOf(own[0]),
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

const page = `# What the methods reach on \`tabular\`, whose returns are computed exactly

Written by \`experiments/exact_game/table.ts\` from the runs of \`+experiment=exact_game\`, at commit ${headCommit()}.

\`\`\`sh
npx bowyer --config-name archer_20q +experiment=exact_game hydra.sweep.dir=FOLDER
node --conditions=source --import tsx experiments/exact_game/table.ts FOLDER
\`\`\`

\`tabular\` has an optimal return of ${optimum.toFixed(3)}. The demonstrator, ${100 * NOISE} % of whose turns are random, has a
return of ${demonstrator.toFixed(3)}; random play has ${random.toFixed(3)}, and the best player for γ = 0 has
${myopic.toFixed(3)}.
Methods on a dataset learn from scratch, from 1,000 episodes of the demonstrator. The other methods begin with a policy that has
imitated these episodes. The settings were chosen on this game with the same seeds, so the table shows what a method can reach
here and does not rank methods.

Returns are of the last policy of each run, sampled on 1,000 episodes. The columns are the mean over seeds with the 95 %
interval of Student's t, each seed, the method's limit, the share of the optimum, and seconds of a run on one core of a busy
machine.
The limit is the exact return of the policy to which the method converges under these settings, with endless data, an exact
critic and a tabular policy. For methods on a dataset it depends on the demonstrator and on temperatures, filters and weights.
The limit of \`agent_evol\` is below the optimum, since it imitates every won episode, also slow ones. We know no formula for \`dpo\`.

| method | return | interval | seeds | limit | of the optimum | seconds |
|---|---|---|---|---|---|---|
${rows.join('\n')}

Learning curves, mean over seeds: the return in evaluations of 300 episodes after each share of the iterations.

![Learning curves](${CHART})

| method | ${sampled.map((share) => `${100 * share} %`).join(' | ')} |
|---|${sampled.map(() => '---|').join('')}
${curveRows.join('\n')}
`;
mkdirSync(dirname(PAGE), { recursive: true });
writeFileSync(PAGE, page);
writeFileSync(
  join(dirname(PAGE), CHART),
  lineChart(series, {
    title: 'Mean return on the tabular game',
    xLabel: 'iteration',
    references: [{ name: 'optimum', y: optimum }],
  }),
);
process.stdout.write(`${PAGE}: ${runs.length} runs of ${algorithms.length} methods\n`);
