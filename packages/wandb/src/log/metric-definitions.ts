// Keeps the definitions of metrics, as W&B's function `wandb.define_metric` makes them: the x axis of each metric's plot, and
// which of its values are in the run's summary.
import type { MetricRecord } from './records.js';

export const SUMMARIES = ['min', 'max', 'mean', 'first', 'last', 'best', 'none'] as const;
export type SummaryKind = (typeof SUMMARIES)[number];

/** The definition of a metric, with W&B's names of the members. */
export interface MetricDefinition {
  /** The name of the metric. A name that ends with * is a pattern for all metrics with this prefix. */
  name: string;
  /** The metric on the x axis of this metric's plots; absent: the step. */
  step_metric?: string;
  /** Whether a row that lacks the step metric gets the last value of the step metric; absent: false. */
  step_sync?: boolean;
  /** Which values of the metric are in the run's summary; absent: the last value. */
  summary?: readonly SummaryKind[];
  /** Whether small or large values are better, for the value `best` in the summary. */
  goal?: 'minimize' | 'maximize';
  /** Whether W&B makes no plot of the metric by default; absent: false. */
  hidden?: boolean;
}

export class MetricDefinitions {
  readonly #known = new Map<string, MetricDefinition | null>();
  readonly #written = new Set<string>();

  /** The names of the metrics that are on the x axis of other metrics' plots. */
  readonly stepMetrics: readonly string[];

  constructor(private readonly options: readonly MetricDefinition[]) {
    this.stepMetrics = [...new Set(options.flatMap(({ step_metric }) => step_metric ?? []))];
  }

  /** The definition with this name, else the first pattern that matches. W&B's own keys, which begin with _, have none. */
  optionOf(key: string): MetricDefinition | null {
    let found = this.#known.get(key);
    if (found === undefined) {
      const fits = ({ name }: MetricDefinition) => name.endsWith('*') && key.startsWith(name.slice(0, -1));
      found = key.startsWith('_')
        ? null
        : (this.options.find(({ name }) => name === key) ?? this.options.find(fits) ?? null);
      this.#known.set(key, found);
    }
    return found;
  }

  /** Notes that the log already contains a record that defines this metric. */
  wasWritten(name: string): void {
    this.#written.add(name);
  }

  /**
   * Returns the definition records that must precede the first row with these metrics. Each metric gets its own record, since
   * W&B's server does not expand patterns.
   */
  recordsFor(keys: Iterable<string>): MetricRecord[] {
    const records: MetricRecord[] = [];
    const write = (record: MetricRecord) => {
      this.#written.add(record.name!);
      records.push(record);
    };
    for (const key of keys) {
      const option = this.optionOf(key);
      if (option === null || this.#written.has(key)) continue;
      const step = option.step_metric;
      if (step !== undefined && !this.#written.has(step)) {
        const own = this.options.find(({ name }) => name === step);
        write(own === undefined ? { name: step } : recordOf(step, own));
      }
      if (!this.#written.has(key)) write(recordOf(key, option));
    }
    return records;
  }
}

function recordOf(name: string, option: MetricDefinition): MetricRecord {
  const isGlob = option.name !== name;
  return {
    name,
    step_metric: option.step_metric,
    options: { step_sync: option.step_sync, hidden: option.hidden, defined: !isGlob },
    summary: option.summary && Object.fromEntries(option.summary.map((kind) => [kind, true])),
    goal: option.goal && (option.goal === 'minimize' ? 1 : 2),
    expanded_from_glob: isGlob,
  };
}
