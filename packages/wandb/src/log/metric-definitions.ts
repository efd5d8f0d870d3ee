// The definitions of metrics, as by `wandb.define_metric`: the x axis of a metric, and the values that the summary keeps.
import type { MetricRecord } from './records.js';

export const SUMMARIES = ['min', 'max', 'mean', 'first', 'last', 'best', 'none'] as const;
export type SummaryKind = (typeof SUMMARIES)[number];

/** A definition in W&B's own words. */
export interface MetricDefinition {
  /** The metric; a * at its end stands for all names that begin so. */
  name: string;
  /** The metric on the x axis of its plots; absent: the step. */
  step_metric?: string;
  /** A row without the step metric gets its last value; absent: false. */
  step_sync?: boolean;
  /** Values that the summary keeps; absent: the last value. */
  summary?: readonly SummaryKind[];
  /** The better direction, for the summary's best value. */
  goal?: 'minimize' | 'maximize';
  /** No plot is made of it by itself; absent: false. */
  hidden?: boolean;
}

export class MetricDefinitions {
  readonly #known = new Map<string, MetricDefinition | null>();
  readonly #written = new Set<string>();

  /** Metrics on the x axis of others. */
  readonly stepMetrics: readonly string[];

  constructor(private readonly options: readonly MetricDefinition[]) {
    this.stepMetrics = [...new Set(options.flatMap(({ step_metric }) => step_metric ?? []))];
  }

  /** Returns the definition of a metric: the one with its name, else the first pattern that fits. W&B's own keys begin with _. */
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

  /** Notes that the log has a record of this metric already. */
  wasWritten(name: string): void {
    this.#written.add(name);
  }

  /** Records that must come before the first row with these keys: one for each metric, as no server expands a pattern. */
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
