// Keeps the definitions of metrics, as in `wandb.define_metric`: the x axis of each, and the values in the summary.
import type { MetricRecord } from './records.js';

export const SUMMARIES = ['min', 'max', 'mean', 'first', 'last', 'best', 'none'] as const;
export type SummaryKind = (typeof SUMMARIES)[number];

/** A definition with W&B's names. */
export interface MetricDefinition {
  /** The name of the metric. A trailing * matches all names with this prefix. */
  name: string;
  /** The metric on the x axis of its plots; absent: the step. */
  step_metric?: string;
  /** Whether a row without the step metric gets that metric's last value; absent: false. */
  step_sync?: boolean;
  /** The values in the summary; absent: the last value. */
  summary?: readonly SummaryKind[];
  /** The better direction, for `best` in the summary. */
  goal?: 'minimize' | 'maximize';
  /** Whether W&B makes no plot of the metric; absent: false. */
  hidden?: boolean;
}

export class MetricDefinitions {
  readonly #known = new Map<string, MetricDefinition | null>();
  readonly #written = new Set<string>();

  /** The metrics that are on the x axis of others. */
  readonly stepMetrics: readonly string[];

  constructor(private readonly options: readonly MetricDefinition[]) {
    this.stepMetrics = [...new Set(options.flatMap(({ step_metric }) => step_metric ?? []))];
  }

  /** Returns the definition of a metric, by its name or else the first pattern. W&B's own keys, which begin with _, have none. */
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

  /** Records that the log already has a record of this metric. */
  wasWritten(name: string): void {
    this.#written.add(name);
  }

  /**
   * Returns the records that must precede the first row with these keys: one per metric, since servers do not expand patterns.
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
