// Computes the outcome of each run, such as its mean return in the final test, and the mean outcome of a setting (the runs of a
// config with several seeds) with its interval.
import { mean, standardDeviation, studentQuantile } from '@bowyer/core';
import type { Table } from '@bowyer/views';
import { matchedRuns, type ComparedRun, type Setting } from './settings.js';

/** Metrics by which runs are compared, from the final test or from metrics.jsonl; the first one that a run has is its outcome. */
const OUTCOMES = [
  { name: 'test return', test: 'test/episodic_return' },
  { name: 'test win rate', test: 'test/win_rate', isShare: true },
  { name: 'last evaluation', metric: 'eval/episodic_return' },
  { name: 'last rollouts', metric: 'rollout/episodic_return' },
  { name: 'validation loss', metric: 'eval/nll' },
] as const;

/** The last share of a run's rows in metrics.jsonl over which a metric is averaged to get its value at the end of the run. */
const END = 0.1;

/** The number of runs below which a note warns that the interval is wide and assumes normally distributed values. */
const ENOUGH_RUNS = 3;

/** The half-width of an interval, relative to the mean, up to which it is considered a rounding error of equal values. */
const ROUNDING = 1e-12;

const tQuantile = (runs: number): number => studentQuantile(0.975, runs - 1);

/** Computes half the width of the 95 % interval of a mean over runs (Student's t); null for one run. */
function halfInterval(values: readonly number[]): number | null {
  const count = values.length;
  if (count < 2) return null;
  const half = (tQuantile(count) * standardDeviation(values)) / Math.sqrt(count);
  return half < ROUNDING * Math.abs(mean(values)) ? 0 : half;
}

/**
 * Computes the 95 % interval of a proportion over runs. It is Wilson's interval with Student's quantile, and with the effective
 * number of episodes, that is the number whose proportion would vary as much as it does between the runs. The interval is within
 * 0 … 1, and has a width above 0 even where all runs agree. Source: Wilson 1927; Franco et al. 2019, "Comparative study of
 * confidence intervals for proportions in complex sample surveys".
 *
 * @param episodes of all runs together
 */
export function shareInterval(shares: readonly number[], episodes: number): { low: number; high: number } {
  const share = mean(shares);
  const variance = standardDeviation(shares) ** 2 / shares.length;
  const n = Math.min(episodes, (share * (1 - share)) / variance || episodes);
  const z2 = tQuantile(shares.length) ** 2;
  const middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const half = Math.sqrt(z2 * ((share * (1 - share)) / n + z2 / (4 * n * n))) / (1 + z2 / n);
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/**
 * Returns a run's value of one metric. The metric of a final test is that of the last policy in the results, which is the run's
 * final one.
 */
function outcomeOf({ record, metrics }: ComparedRun, outcome: (typeof OUTCOMES)[number]): number | null {
  if ('test' in outcome) {
    const policies = record.results?.policies;
    return policies?.at(-1)?.metrics[outcome.test] ?? null;
  }
  const values = metrics.columns.get(outcome.metric)?.y ?? [];
  if (values.length === 0) return null;
  return mean(values.slice(-Math.max(1, Math.round(values.length * END))));
}

/**
 * Returns a run's value of the first metric in `OUTCOMES` that it has: of its final test, else of its last evaluation, and so on.
 */
export function firstOutcome(run: ComparedRun): number | null {
  for (const outcome of OUTCOMES) {
    const value = outcomeOf(run, outcome);
    if (value !== null) return value;
  }
  return null;
}

/**
 * Makes a table with a row per setting and a column per metric: the mean over the setting's runs ± half the width of its
 * interval.
 */
export function outcomeTable(settings: readonly Setting[]): Table {
  const shown = OUTCOMES.filter((outcome) =>
    settings.some(({ runs }) => runs.some((run) => outcomeOf(run, outcome) !== null)),
  );
  return {
    title: 'Mean and 95 % interval over the runs of a setting',
    header: ['setting', 'runs', ...shown.map(({ name }) => name)],
    rows: settings.map(({ name, runs }) => [
      name,
      String(runs.length),
      ...shown.map((outcome) => outcomeText(runs, outcome)),
    ]),
    notes: intervalNotes(settings.map(({ runs }) => runs.length)),
  };
}

function intervalNotes(counts: readonly number[]): string[] {
  const most = counts.reduce((a, b) => Math.max(a, b), 0);
  if (most < 2)
    return ['One run per setting: no interval over seeds. Start each with several seeds to see how much they vary.'];
  const few = counts.some((count) => count > 1 && count < ENOUGH_RUNS);
  return [
    'The interval is Student’s t over the runs, which differ in their seeds alone; for a share it is Wilson’s.',
    ...(few
      ? ['Caution: an interval over two runs says little. Run at least three seeds of each setting, preferably five.']
      : []),
  ];
}

function outcomeText(runs: readonly ComparedRun[], outcome: (typeof OUTCOMES)[number]): string {
  const values = runs.flatMap((run) => outcomeOf(run, outcome) ?? []);
  const episodes = runs.map(episodesOf).reduce((sum, count) => sum + count, 0);
  if (!('isShare' in outcome) || values.length < 2 || episodes === 0) return meanText(values);
  const { low, high } = shareInterval(values, episodes);
  return `${mean(values).toPrecision(3)} (${low.toFixed(2)} … ${high.toFixed(2)})`;
}

/** Counts the episodes of the final test; 0 where there was none. */
const episodesOf = ({ record }: ComparedRun): number => record.results?.policies?.at(-1)?.metrics['test/episodes'] ?? 0;

function meanText(values: readonly number[]): string {
  if (values.length === 0) return '–';
  const half = halfInterval(values);
  return half === null ? values[0].toPrecision(3) : `${mean(values).toPrecision(3)} ± ${half.toPrecision(2)}`;
}

/**
 * Writes which of two settings is better if no episode was played by both: from the outcomes of their runs, paired by seed where
 * the seeds agree.
 */
export function unpairedText(first: Setting, second: Setting): string {
  const none = `No episode of “${first.name}” and “${second.name}” can be paired: their seeds or items differ, or the episodes of the test were not stored.`;
  const differences = matchedRuns(first, second).flatMap(([a, b]) => {
    const values = [firstOutcome(a), firstOutcome(b)];
    return values[0] === null || values[1] === null ? [] : [values[1] - values[0]];
  });
  const half = halfInterval(differences);
  if (half === null) return none;
  const difference = mean(differences);
  const [better, worse] = difference >= 0 ? [second.name, first.name] : [first.name, second.name];
  const answer =
    Math.abs(difference) > half
      ? `“${better}” is better than “${worse}”`
      : `No difference is shown between “${better}” and “${worse}”`;
  return `${none} By the figures of ${differences.length} pairs of runs with the same seed: ${answer}; “${second.name}” less “${first.name}” is ${difference.toPrecision(3)} ± ${half.toPrecision(2)} (Student’s t, 95 %).`;
}
