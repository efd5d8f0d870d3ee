// Computes the summary of a W&B run: the last value of each metric, or the values (min, max, …) that the metric's definition
// lists.
import type { Figures } from './figures.js';
import { jsonText, parseJsonText } from './raw-json.js';
import type { MetricDefinitions, MetricDefinition, SummaryKind } from './metric-definitions.js';
import type { Item } from './records.js';

export class Summary {
  readonly #last = new Map<string, string>();
  readonly #statistics = new Map<string, Statistics>();

  constructor(private readonly definitions: MetricDefinitions) {}

  /** For metrics of which the summary has only the last value; copied to `#last` when the summary is read. */
  #row: Figures | null = null;
  #plan: { names: readonly string[]; counted: number[] } = { names: [], counted: [] };

  foldRow(figures: Figures): void {
    const { names, texts } = figures;
    if (names !== this.#plan.names) {
      this.#settle();
      const counted = names.flatMap((name, i) => (this.definitions.optionOf(name)?.summary === undefined ? [] : [i]));
      this.#plan = { names, counted };
      this.#row = figures;
      this.#settle(); // keeps the keys in the order of their first occurrence
    }
    for (const i of this.#plan.counted) this.fold(names[i], texts[i]);
    this.#row = figures;
  }

  #settle(): void {
    if (this.#row === null) return;
    const { names, texts } = this.#row;
    const counted = new Set(this.#plan.counted);
    names.forEach((name, i) => counted.has(i) || this.#last.set(name, texts[i]));
    this.#row = null;
  }

  /** @param json the value as JSON text */
  fold(key: string, json: string): void {
    const option = this.definitions.optionOf(key);
    if (option?.summary === undefined) this.#last.set(key, json);
    else if (!option.summary.includes('none')) {
      let statistics = this.#statistics.get(key);
      if (statistics === undefined) this.#statistics.set(key, (statistics = new Statistics(option)));
      statistics.add(parseJsonText(json));
    }
  }

  items(): Item[] {
    this.#settle();
    const chosen = [...this.#statistics].map(([key, statistics]): [string, string] => [
      key,
      jsonText(statistics.chosen()),
    ]);
    return [...this.#last, ...chosen].map(([key, value_json]) => ({ key, value_json }));
  }
}

class Statistics {
  #values: Partial<Record<SummaryKind, unknown>> = {};
  #count = 0;
  #sum = 0;

  constructor(private readonly option: MetricDefinition) {}

  add(value: unknown): void {
    this.#values.first ??= value;
    this.#values.last = value;
    if (typeof value !== 'number' || Number.isNaN(value)) return;
    const { min = Infinity, max = -Infinity } = this.#values as { min?: number; max?: number };
    this.#sum += value;
    this.#count++;
    this.#values = {
      ...this.#values,
      min: Math.min(min, value),
      max: Math.max(max, value),
      mean: this.#sum / this.#count,
    };
    this.#values.best = this.option.goal === 'maximize' ? this.#values.max : this.#values.min;
  }

  chosen(): Partial<Record<SummaryKind, unknown>> {
    const entries = this.option.summary!.filter((kind) => this.#values[kind] !== undefined);
    return Object.fromEntries(entries.map((kind) => [kind, this.#values[kind]]));
  }
}
