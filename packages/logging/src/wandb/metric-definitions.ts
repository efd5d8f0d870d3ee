// What `wandb.define_metric` decides: the x axis of a metric, and what the summary keeps of it.
import { oneOf } from '@bowyer/core';
import { Type, type Static } from '@sinclair/typebox';
import type { MetricRecord } from './records.js';

const SUMMARIES = ['min', 'max', 'mean', 'first', 'last', 'best', 'none'] as const;
export type SummaryKind = (typeof SUMMARIES)[number];

export const metricOption = Type.Object(
  {
    name: Type.String({ description: 'metric; a * at its end stands for all that begin so' }),
    step_metric: Type.Optional(Type.String({ description: 'metric on the x axis of its plots; absent: the step' })),
    step_sync: Type.Optional(
      Type.Boolean({ description: 'a row without the step metric gets its last value; absent: false' }),
    ),
    summary: Type.Optional(
      Type.Array(oneOf(SUMMARIES, 'value of the summary; best: by the goal'), {
        description: 'what the summary keeps; absent: the last value',
      }),
    ),
    goal: Type.Optional(oneOf(['minimize', 'maximize'], 'which value is best')),
    hidden: Type.Optional(Type.Boolean({ description: 'no plot is made of it by itself; absent: false' })),
  },
  { additionalProperties: false, description: 'as wandb.define_metric' },
);
export type MetricOption = Static<typeof metricOption>;

export class MetricDefinitions {
  readonly #known = new Map<string, MetricOption | null>();
  readonly #written = new Set<string>();

  /** Metrics on the x axis of others. */
  readonly stepMetrics: readonly string[];

  constructor(private readonly options: readonly MetricOption[]) {
    this.stepMetrics = [...new Set(options.flatMap(({ step_metric }) => step_metric ?? []))];
  }

  /** What was decided of a metric: by its name, else by the first pattern that fits. W&B's own keys begin with _. */
  optionOf(key: string): MetricOption | null {
    let found = this.#known.get(key);
    if (found === undefined) {
      const fits = ({ name }: MetricOption) => name.endsWith('*') && key.startsWith(name.slice(0, -1));
      found = key.startsWith('_')
        ? null
        : (this.options.find(({ name }) => name === key) ?? this.options.find(fits) ?? null);
      this.#known.set(key, found);
    }
    return found;
  }

  /** The log has a record of this metric already. */
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

function recordOf(name: string, option: MetricOption): MetricRecord {
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
