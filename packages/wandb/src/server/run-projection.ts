// Computes from the records of a run's log what W&B's server must have of the run: the lines of its streams, its config and
// summary, and its files.
import { jsonText, rawText, removeRaw, setRaw, type RawTree } from '../log/raw-json.js';
import {
  secondsOf,
  type ArtifactRecord,
  type Changes,
  type Item,
  type LogRecord,
  type MetricRecord,
  type RunRecord,
} from '../log/records.js';

export const STREAMS = ['wandb-history.jsonl', 'wandb-events.jsonl', 'output.log'] as const;
export type StreamName = (typeof STREAMS)[number];

/** How much the server already has of an earlier run with this id. The lines of this run follow the earlier ones. */
export interface Base {
  lines: Readonly<Record<StreamName, number>>;
  /** The last step and the run time of the earlier run, which are added to each `_step` and `_runtime`. */
  step: number;
  runtime: number;
}

export const NO_BASE: Base = {
  lines: { 'wandb-history.jsonl': 0, 'wandb-events.jsonl': 0, 'output.log': 0 },
  step: 0,
  runtime: 0,
};

/** The largest size of a line in bytes, as in W&B's client. A longer history row is not sent. */
const MAX_LINE = 10 * 2 ** 20 - 100 * 2 ** 10;

export interface NamedFile {
  path: string;
  /** Whether the file is uploaded only when the run ends, since it may still change. */
  atEnd: boolean;
}

export class RunProjection {
  run: RunRecord | null = null;
  exit: { exit_code?: number; runtime?: number } | null = null;
  /** The lines of each stream that the server has not accepted yet, oldest first. */
  readonly pending: Record<StreamName, string[]> = {
    'wandb-history.jsonl': [],
    'wandb-events.jsonl': [],
    'output.log': [],
  };
  readonly files = new Map<string, NamedFile>();
  readonly artifacts: ArtifactRecord[] = [];
  isPreempting = false;
  configVersion = 0;
  summaryVersion = 0;
  pendingBytes = 0;
  /** The number of history rows that were not sent, since they are longer than the server accepts. */
  dropped = 0;
  readonly #config: RawTree = new Map();
  readonly #summary: RawTree = new Map();
  readonly #metrics: MetricRecord[] = [];
  readonly #seen: Record<StreamName, number> = { 'wandb-history.jsonl': 0, 'wandb-events.jsonl': 0, 'output.log': 0 };
  #version: string | undefined;
  #startSeconds = 0;
  #lastRuntime = 0;
  #partial: Record<number, string> = {};

  /** @param sent the number of lines of each stream that the server has already, which are not sent again */
  constructor(
    private readonly sent: Readonly<Record<StreamName, number>>,
    readonly base: Base,
  ) {}

  add(record: LogRecord): void {
    const { run, config, telemetry, metric, history, summary, stats, output_raw: output, files, artifact } = record;
    if (run) this.#setRun(run);
    if (config) this.#change(this.#config, config, () => this.configVersion++);
    if (telemetry?.cli_version) this.#version = telemetry.cli_version;
    if (metric?.name) this.#addMetric(metric);
    if (history) this.#row(history.item ?? []);
    if (summary) this.#change(this.#summary, summary, () => this.summaryVersion++);
    if (stats) this.#event(secondsOf(stats.timestamp ?? {}), stats.item ?? []);
    if (output) this.#output(output.output_type ?? 0, secondsOf(output.timestamp ?? {}), output.line ?? '');
    for (const { path, policy } of files?.files ?? []) this.files.set(path!, { path: path!, atEnd: policy === 1 });
    if (artifact) this.artifacts.push(artifact);
    if (record.preempting) this.isPreempting = true;
    if (record.exit) this.exit = record.exit;
  }

  /** Returns the config in the form that the GraphQL operation UpsertBucket takes. */
  configJson(): string {
    const own: RawTree = new Map(this.#config);
    own.delete('_wandb');
    const wandb = {
      cli_version: this.#version,
      start_time: Math.floor(this.#startSeconds),
      t: { '5': this.#version ?? '' },
      m: this.#metrics.length === 0 ? undefined : this.#metricList(),
    };
    own.set('_wandb', jsonText(wandb));
    return rawText(own, (value) => `{"value": ${value}}`);
  }

  /** Returns the whole summary as one line of JSON; null if the run has no summary yet. */
  summaryJson(): string | null {
    if (this.summaryVersion === 0) return null;
    const summary: RawTree = new Map(this.#summary);
    if (!summary.has('_wandb'))
      summary.set('_wandb', `{"runtime": ${this.exit?.runtime ?? Math.floor(this.#lastRuntime)}}`);
    return rawText(summary);
  }

  #setRun(run: RunRecord): void {
    if (this.run === null) this.#startSeconds = secondsOf(run.start_time ?? {});
    this.run = { ...this.run, ...run };
    this.#version ??= run.telemetry?.cli_version;
    if (run.config) this.#change(this.#config, run.config, () => {});
    this.configVersion++;
  }

  #change(tree: RawTree, { update = [], remove = [] }: Changes, changed: () => void): void {
    for (const item of update) setRaw(tree, pathOf(item), item.value_json ?? 'null');
    for (const item of remove) removeRaw(tree, pathOf(item));
    changed();
  }

  #addMetric(metric: MetricRecord): void {
    const at = this.#metrics.findIndex(({ name }) => name === metric.name);
    if (at < 0) this.#metrics.push(metric);
    else this.#metrics[at] = { ...this.#metrics[at], ...metric };
    this.configVersion++;
  }

  #row(items: readonly Item[]): void {
    const tree: RawTree = new Map();
    for (const item of items) setRaw(tree, pathOf(item), item.value_json ?? 'null');
    const { step, runtime } = this.base;
    if (step > 0) shift(tree, '_step', step);
    if (runtime > 0) shift(tree, '_runtime', runtime);
    this.#lastRuntime = Math.max(this.#lastRuntime, Number(tree.get('_runtime') ?? 0));
    this.#line('wandb-history.jsonl', rawText(tree));
  }

  #event(seconds: number, items: readonly { key?: string; value_json?: string }[]): void {
    const tree: RawTree = new Map([
      ['_wandb', 'true'],
      ['_timestamp', String(seconds)],
    ]);
    tree.set('_runtime', String(seconds - this.#startSeconds));
    for (const { key, value_json } of items) tree.set(`system.${key}`, value_json ?? 'null');
    this.#line('wandb-events.jsonl', rawText(tree));
  }

  /**
   * Adds a piece of the console's output, and appends its complete lines to the stream. Text that a carriage return overwrites,
   * such as a progress bar's, is omitted.
   */
  #output(kind: number, seconds: number, text: string): void {
    const lines = ((this.#partial[kind] ?? '') + text).split('\n');
    this.#partial[kind] = lines.pop()!;
    const micros = String(Math.round((seconds % 1) * 1e6))
      .padStart(6, '0')
      .slice(0, 6);
    const time = `${new Date(1000 * Math.floor(seconds)).toISOString().slice(0, 19)}.${micros}`;
    for (const line of lines)
      this.#line('output.log', `${kind === 0 ? 'ERROR ' : ''}${time} ${line.split('\r').at(-1)}\n`);
  }

  #line(stream: StreamName, line: string): void {
    const bytes = Buffer.byteLength(line);
    if (bytes > MAX_LINE) {
      this.dropped++;
      return;
    }
    if (++this.#seen[stream] <= this.sent[stream]) return;
    this.pending[stream].push(line);
    this.pendingBytes += bytes;
  }

  /**
   * Returns the metric definitions in the form of W&B's config, with protobuf's field numbers as keys. A step metric is named by
   * its index in the list, from 1.
   */
  #metricList(): object[] {
    const bits = (flags: object | undefined, names: readonly string[]) => {
      const set = names.flatMap((name, i) => ((flags as Record<string, boolean> | undefined)?.[name] ? [i + 1] : []));
      return set.length === 0 ? undefined : set;
    };
    return this.#metrics.map(({ name, step_metric, options, summary, goal }) => ({
      '1': name,
      '5': step_metric ? 1 + this.#metrics.findIndex((other) => other.name === step_metric) || undefined : undefined,
      '6': bits(options, ['step_sync', 'hidden', 'defined']),
      '7': bits(summary, ['min', 'max', 'mean', 'best', 'last', 'none', 'copy', 'first']),
      '8': goal || undefined,
    }));
  }
}

const pathOf = ({ key, nested_key }: Item): readonly string[] => (nested_key?.length ? nested_key : [key ?? '']);

function shift(tree: RawTree, key: string, by: number): void {
  const value = tree.get(key);
  if (typeof value === 'string') tree.set(key, String(Number(value) + by));
}
