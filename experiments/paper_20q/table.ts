// Writes README.md (ten words) or full.md (all words), with figures, from the runs of a sweep of this study, finished or not:
//   npx bowyer --config-name archer_20q +experiment=paper_20q hydra.sweep.dir=FOLDER
//   node --conditions=source --import tsx experiments/paper_20q/table.ts paper_20q FOLDER... --rates RATES... --archer LOOK...
// Several folders where the sweep was run in parts; RATES...: of experiments/paper_20q/sweep.yaml, a folder for each method; LOOK: short
// runs of ArCHer with other settings.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mean, minimum, standardError } from '@bowyer/core';
import { lineChart, type Series } from '@bowyer/logging';
import { archerSection } from './archer-section.js';
import { ratesSection } from './rates-section.js';
import { finishedRuns, halfInterval, headCommit, tested, testReturn, type Run } from '../sweep-runs.js';

interface Page {
  file: string;
  title: string;
  /** Returns whose price in environment steps is tabulated. */
  levels: readonly number[];
  text: string;
  /** Overrides of the search for rates, beside the experiment's. */
  search: string;
  /** How the ranking compares with the paper's. */
  ranking: string;
}

const pages: Record<string, Page> = {
  paper_20q: {
    file: 'experiments/paper_20q/README.md',
    title: 'Ten words of Twenty Questions: the methods of the ArCHer paper, by environment steps',
    levels: [-7, -6, -5, -4],
    text: `Settings: \`experiments/paper_20q/sweep.yaml\`, a policy of 0.11 M weights. A perfect player with the demonstrator's questions
has -2.90.`,
    search: '',
    ranking: `The ArCHer paper (Zhou et al. 2024, arXiv:2402.19446) reports that ArCHer needs far fewer samples than PPO. Here it
does not. The last table shows what limits it: A(s, a) = Q − V of the critic says little of what an episode then shows
(correlation 0.2 with a buffer of the last 1,000 episodes and one-step targets). The policy changes within 100
episodes, the old ones say what was good before, and one-step targets carry that on; at rates that PPO takes the
policy then asks the same questions again, and the return falls. With 200 episodes and whole returns as targets the
correlation is 0.36 and the same rate no longer collapses: that is what \`archer\` has in this table, chosen on
evaluation episodes of another seed (the study methods_20q has the settings before). It is still not ahead of PPO,
REINFORCE++ and CHAI. The first two learn from the returns themselves, in games of eight turns a cheap and unbiased
judge; CHAI has ArCHer's critic, and picks the best of five utterances with it at once, where ArCHer needs many small
steps of a policy. Fresh samples at replayed states, as in the paper, change nothing at the same number of updates.`,
  },
  paper_20q_full: {
    file: 'experiments/paper_20q/full.md',
    title: 'All 157 words of Twenty Questions: the methods of the ArCHer paper, by environment steps',
    levels: [-13, -12, -11, -10],
    text: `Settings: \`experiments/paper_20q/sweep.yaml\`, a policy of 0.4 M weights. The start imitates 6,000 games of a demonstrator a
quarter of whose turns are random (-9.5); the same demonstrator without random turns has -7.4.`,
    search: ' preset=paper_20q_full eval_freq=12',
    ranking: `Every method that plays gains more than ten standard errors over its start, and the intervals of their ends overlap: no
order among them is shown. The paper (Zhou et al. 2024, arXiv:2402.19446) has ArCHer far ahead of PPO in samples: here PPO needs
1.6 to 1.8 times ArCHer's steps to -13 and -12, and the methods that learn from whole returns without a critic (\`grpo\`,
\`reinforce_pp\`) fewer than ArCHer. On ten words PPO was ahead (README.md). \`iql\` and \`awr\` train from scratch on the games of
the start, as \`bc\` does, and end below it.`,
  },
};

/** Figures of at most six lines each: a figure with all methods cannot be read. */
const figures = [
  {
    suffix: 'utterances',
    title: 'Critics and the filter',
    methods: ['archer', 'archer_baseline', 'chai', 'online_filteredbc'],
  },
  {
    suffix: 'groups',
    title: 'Policy gradients without a replay buffer',
    methods: ['ppo', 'reinforce_pp', 'grpo', 'rloo', 'gigpo'],
  },
];

interface Point {
  steps: number;
  value: number;
}

const [experiment, ...rest] = process.argv.slice(2);
/** The words after `--NAME`; the folders of the runs come before all of them. */
const given = (name: string) => {
  const at = rest.indexOf(`--${name}`);
  return at < 0 ? [] : rest.slice(at + 1, rest.findIndex((word, i) => i > at && word.startsWith('--')) >>> 0);
};
const folders = rest.slice(0, rest.findIndex((word) => word.startsWith('--')) >>> 0);
const [ratesFolders, looks] = [given('rates'), given('archer')];
const page = pages[experiment];
if (!page) throw new Error(`first argument '${experiment}': expected ${Object.keys(pages).join(' or ')}`);
const appendix =
  (ratesFolders.length === 0 ? '' : `\n${ratesSection(ratesFolders, page.search)}`) +
  (looks.length === 0 ? '' : `\n${archerSection(looks)}`);
/** The others of experiments/methods_20q/sweep.yaml, whose jobs are those of paper_20q but for their name, are not the paper's. */
const notOfThePaper = ['dpo', 'offline_archer'];
const found = folders
  .flatMap((folder) => finishedRuns([folder]))
  .filter(({ algorithm }) => !notOfThePaper.includes(algorithm));
const runs = [...new Set(found.map(({ algorithm }) => algorithm))].flatMap((name) =>
  ofOneRate(found.filter(({ algorithm }) => algorithm === name)),
);

/** The runs of a method at the rate with most seeds, at the last given of equal ones; each seed once. */
function ofOneRate(all: readonly Run[]): Run[] {
  const ofRate = (rate: number) => [
    ...new Map(all.filter((run) => rateOf(run) === rate).map((run) => [run.seed, run])).values(),
  ];
  return all.map((run) => ofRate(rateOf(run))).reduce((a, b) => (b.length >= a.length ? b : a));
}

/** The learning rate that the search varies. */
function rateOf({ folder }: Run): number {
  const { lmLr, criticLr } = JSON.parse(readFileSync(join(folder, 'run-config.json'), 'utf8')) as Record<
    string,
    number
  >;
  return lmLr ?? criticLr;
}

const methods = [...new Set(runs.map(({ algorithm }) => algorithm))];
const ofMethod = (name: string) =>
  runs.filter(({ algorithm }) => algorithm === name).sort((a, b) => Number(a.seed) - Number(b.seed));

/** By seed: the warm start's test, which all runs of the seed share. */
const starts = new Map(
  runs.flatMap((run) => {
    const start = tested(run, 'warm start');
    return start ? [[run.seed, testReturn(start)] as const] : [];
  }),
);
/** Chosen by evaluation, where a method evaluates on its way; else what the run ended with. */
const chosen = (run: Run) => tested(run, 'best') ?? tested(run, 'last')!;

/** Turns played before each evaluation, and its mean return; the first point is the start, as the test measured it. */
function curveOf(run: Run): Point[] {
  let steps = 0;
  const points = starts.has(run.seed) ? [{ steps, value: starts.get(run.seed)! }] : [];
  for (const line of run.metrics) {
    steps += (line['rollout/episodes'] ?? 0) * (line['rollout/episode_turns'] ?? 0);
    if ('eval/episodic_return' in line && steps > 0) points.push({ steps, value: line['eval/episodic_return'] });
  }
  return points;
}
const curvesOf = (name: string) => ofMethod(name).map(curveOf);

/** Mean over seeds, at the mean of their steps, with a standard error on both sides. */
function seriesOf(name: string): Series {
  const curves = curvesOf(name);
  const points = curves[0].map((_, i) => {
    const at = curves.flatMap((curve) => curve[i] ?? []);
    const values = at.map(({ value }) => value);
    const [x, y, error] = [mean(at.map(({ steps }) => steps)), mean(values), at.length > 1 ? standardError(values) : 0];
    return { x, y, low: y - error, high: y + error };
  });
  return { name, points };
}

/** Steps until the line between two evaluations first crosses the level; null if it never does. */
function stepsTo(level: number, curve: readonly Point[]): number | null {
  for (const [i, { steps, value }] of curve.entries()) {
    if (value < level) continue;
    const before = curve[i - 1];
    return before ? before.steps + ((level - before.value) / (value - before.value)) * (steps - before.steps) : 0;
  }
  return null;
}

const thousands = (steps: number) => (steps / 1000).toFixed(1);
/** The steps of each seed that reaches the level. */
const reaching = (level: number, name: string) => curvesOf(name).flatMap((curve) => stepsTo(level, curve) ?? []);
/** Mean over seeds and its ratio to ArCHer's, where all seeds reach the level; else how many do. */
function stepsCell(level: number, name: string): string {
  const [own, archer] = [reaching(level, name), reaching(level, 'archer')];
  const all = ofMethod(name).length;
  if (own.length < all) return own.length === 0 ? '–' : `${own.length} of ${all}`;
  const isComparable = archer.length > 0 && archer.length === ofMethod('archer').length;
  return thousands(mean(own)) + (isComparable ? ` (${(mean(archer) / mean(own)).toFixed(1)})` : '');
}

function rowOf(name: string): { order: number; row: string } {
  const own = ofMethod(name);
  const returns = own.map((run) => testReturn(chosen(run)));
  const gains = own.flatMap((run, i) => (starts.has(run.seed) ? [returns[i] - starts.get(run.seed)!] : []));
  const plays = curvesOf(name).some((curve) => curve.length > 1);
  const cells = [
    `\`${name}\``,
    own.length,
    [...new Set(own.map(rateOf))].join(', '),
    `**${mean(returns).toFixed(2)}**`,
    halfInterval(returns, 2),
    returns.map((value) => value.toFixed(2)).join(', '),
    gains.length > 0 ? mean(gains).toFixed(2) : '–',
    standardError(gains) > 0 ? (mean(gains) / standardError(gains)).toFixed(1) : '–', // bc repeats the start to the bit
    mean(own.map((run) => chosen(run).metrics['test/win_rate'])).toFixed(2),
    plays ? thousands(mean(curvesOf(name).map((curve) => curve.at(-1)!.steps))) : '0',
    minimum(own.map(({ seconds }) => seconds)).toFixed(0),
  ];
  return { order: -mean(returns), row: `| ${cells.join(' | ')} |` };
}

/** Pairs of neighbours in the table whose intervals do not overlap, as sentences; what is not here is not claimed. */
function claims(): string {
  const known = methods.flatMap((name) => {
    const values = ofMethod(name).map((run) => testReturn(chosen(run)));
    if (values.length < 3) return [];
    const half = Number(halfInterval(values, 4).slice(2));
    return [{ name, low: mean(values) - half, high: mean(values) + half }];
  });
  const lines = known.flatMap((one) => {
    const below = known.filter((other) => other.high < one.low).map(({ name }) => `\`${name}\``);
    return below.length > 0 ? [`- \`${one.name}\` is above ${below.join(', ')}.`] : [];
  });
  return lines.length > 0 ? lines.join('\n') : '- No two intervals are apart.';
}

const playing = methods.filter((name) => curvesOf(name).some((curve) => curve.length > 1));
const base = `experiments/paper_20q/${experiment.replaceAll('_', '-')}`;
const drawn = figures.flatMap(({ suffix, title, methods: names }) => {
  const series = names.filter((name) => playing.includes(name)).map(seriesOf);
  if (series.length === 0) return [];
  const file = `${base}-${suffix}.svg`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lineChart(series, { title: `${title}: mean return`, xLabel: 'environment steps' }));
  return [`![${title}](${file.slice(file.lastIndexOf('/') + 1)})`];
});
/** Names of the sweeps that the runs are of. */
const sweeps = [...new Set(runs.map(({ folder }) => sweepOf(folder)))].join(' and ');
function sweepOf(folder: string): string {
  const { overrides } = JSON.parse(readFileSync(join(folder, 'sweep-job.json'), 'utf8')) as { overrides: string[] };
  return `\`${overrides.find((override) => override.startsWith('+experiment='))!.slice('+experiment='.length)}\``;
}
const partly =
  ratesFolders.length > 0
    ? 'Methods that are not listed under the rates below had no search: `bc`, `iql` and `awr` have the rate of the start.\n\n'
    : '';
/** Methods of the experiment without a finished run. */
const sweep = readFileSync('experiments/paper_20q/sweep.yaml', 'utf8')
  .split(/^---\n/m)
  .find((document) => document.startsWith(`# @config experiment/${experiment}\n`))!;
const [, listed] = /^ *algorithm: (.*)$/m.exec(sweep)!;
const missing = listed.split(',').filter((name) => !methods.includes(name));
const gaps =
  missing.length > 0 ? `\n\nWithout a finished run:\n${missing.map((name) => `\`${name}\``).join(', ')}.` : '';
/** SFT: what all begin with. */
const startValues = [...starts.values()];
const sftRow = `| SFT (warm start) | ${startValues.length} | | **${mean(startValues).toFixed(2)}** | ${halfInterval(startValues, 2)} | ${startValues.map((value) => value.toFixed(2)).join(', ')} | | | | 0 | |`;
const dates = [...new Set(runs.map(({ date }) => date))].sort().join(', ');
const rows = methods.map(rowOf).sort((a, b) => a.order - b.order);
const test = chosen(runs[0]).metrics['test/episodes'];
const evaluation = runs.flatMap(({ metrics }) => metrics.flatMap((line) => line['eval/episodes'] ?? []))[0];
/** The time of all listed methods with three seeds, two at a time, if every run took as long as the fastest of its method. */
const fastest = methods.map((name) => minimum(ofMethod(name).map((run) => run.seconds)));
const wholeMinutes = ((mean(fastest) * listed.split(',').length * 3) / 2 / 60).toFixed(0);
const duration =
  missing.length > 3
    ? ''
    : `\nIf each run took as long as the fastest of its method, all ${listed.split(',').length} methods with three seeds would take ${wholeMinutes}
minutes with two runs at a time.`;
const startRows = [...starts]
  .sort(([a], [b]) => Number(a) - Number(b))
  .map(([seed, value]) => `${value.toFixed(2)} (seed ${seed})`);

writeFileSync(
  page.file,
  `# ${page.title}

Written by \`experiments/paper_20q/table.ts\` from ${runs.length} runs of ${sweeps} of ${dates}, not after commit ${headCommit()}.

\`\`\`sh
npx bowyer --config-name archer_20q +experiment=${experiment} hydra.sweep.dir=FOLDER
node --conditions=source --import tsx experiments/paper_20q/table.ts ${experiment} FOLDER${ratesFolders.length > 0 ? ' --rates RATES' : ''}${looks.length > 0 ? ' --archer LOOK' : ''}
\`\`\`

${page.text}
Methods that play begin with the warm start of their seed and play the same number of episodes; \`bc\`, \`iql\` and \`awr\` play
none and learn from the games that the start imitates. Returns are means of sampled play on ${test} test episodes, of the
policy that was best in evaluations on other episodes. Starts: ${startRows.join(', ')}.

| method | seeds | rate | return | interval | each seed | gain | gain / SE | win | steps (1,000) | seconds |
|---|---|---|---|---|---|---|---|---|---|---|
${rows.map(({ row }) => row).join('\n')}
${sftRow}${gaps}

${partly}Intervals are 95 % intervals of Student's t over seeds. The gain is the mean difference to the start of the same seed, and SE its
standard error over seeds. Seconds are those of the fastest run, on one thread, while other programs ran.${duration}

Where the intervals of two methods with three seeds do not overlap:

${claims()}

${page.ranking}

## Return against environment steps

An environment step is a question. Lines are means over seeds of evaluations on ${evaluation} episodes, the first point the start's
test; a band is one standard error over seeds on both sides.

${drawn.join('\n\n')}

Thousands of environment steps until the mean return of an evaluation first reaches a level, interpolated between evaluations:
mean over seeds, or how many of them reach it. In brackets: ArCHer's steps divided by the method's, its sample efficiency.

| method | ${page.levels.join(' | ')} |
|---|${page.levels.map(() => '---|').join('')}
${playing.map((name) => `| \`${name}\` | ${page.levels.map((level) => stepsCell(level, name)).join(' | ')} |`).join('\n')}
${appendix}`,
);
process.stdout.write(`${page.file}: ${runs.length} runs of ${methods.length} methods\n`);
