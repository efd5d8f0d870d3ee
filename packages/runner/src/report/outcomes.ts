// What each run ended with, and the mean of a setting's runs with its interval.
import { mean, standardDeviation } from '@bowyer/core';
import type { Table } from '@bowyer/views';
import type { RunResults } from '../run/results.js';
import type { ComparedRun, Setting } from './settings.js';

/** Figures of the comparison, by the key in the final test and the metric that stands for it where there was none. */
const OUTCOMES = [
  { name: 'test return', test: 'test/episodic_return' },
  { name: 'test win rate', test: 'test/win_rate' },
  { name: 'last evaluation', metric: 'eval/episodic_return' },
  { name: 'last rollouts', metric: 'rollout/episodic_return' },
  { name: 'validation loss', metric: 'eval/nll' },
] as const;

/** Rows of metrics.jsonl whose mean stands for the end of a run, as a share of them. */
const END = 0.1;

/** 97.5 % quantiles of Student's t distribution for 1 to 30 degrees of freedom. */
const T_QUANTILES = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** Half the width of the 95 % interval of a mean over runs (Student's t); null for one run. */
function halfInterval(values: readonly number[]): number | null {
  const count = values.length;
  if (count < 2) return null;
  const quantile = T_QUANTILES[count - 2] ?? 1.96;
  return (quantile * standardDeviation(values)) / Math.sqrt(count);
}

/** The policy that a run ended with is listed last. */
function outcomeOf({ record, metrics }: ComparedRun, outcome: (typeof OUTCOMES)[number]): number | null {
  if ('test' in outcome) {
    const policies = (record.results as Partial<RunResults> | null)?.policies;
    return policies?.at(-1)?.metrics[outcome.test] ?? null;
  }
  const values = metrics.columns.get(outcome.metric)?.y ?? [];
  if (values.length === 0) return null;
  return mean(values.slice(-Math.max(1, Math.round(values.length * END))));
}

/** The first figure that a run has: that of its final test, else its last evaluation, and so on. */
export function firstOutcome(run: ComparedRun): number | null {
  for (const outcome of OUTCOMES) {
    const value = outcomeOf(run, outcome);
    if (value !== null) return value;
  }
  return null;
}

/** A row per setting: mean ± half the interval over its runs. */
export function outcomeTable(settings: readonly Setting[]): Table {
  const shown = OUTCOMES.filter((outcome) => settings.some(({ runs }) => runs.some((run) => outcomeOf(run, outcome) !== null))); // prettier-ignore
  return {
    title: 'Mean ± 95 % interval over the runs of a setting',
    header: ['setting', 'runs', ...shown.map(({ name }) => name)],
    rows: settings.map(({ name, runs }) => [
      name,
      String(runs.length),
      ...shown.map((outcome) => meanText(runs.flatMap((run) => outcomeOf(run, outcome) ?? []))),
    ]),
    notes: settings.some(({ runs }) => runs.length > 1)
      ? ['The interval is Student’s t over the runs, which differ in their seeds alone.']
      : ['One run per setting: no interval over seeds. Start each with several seeds to see how much they vary.'],
  };
}

function meanText(values: readonly number[]): string {
  if (values.length === 0) return '–';
  const half = halfInterval(values);
  return half === null ? values[0].toPrecision(3) : `${mean(values).toPrecision(3)} ± ${half.toPrecision(2)}`;
}
