// Writes the log of a run in W&B's format: history rows, summary, console lines and files. If the run is resumed, the next
// process continues the log after its last row, so that the log contains each iteration once, even if the iteration is run again.
import { stat } from 'node:fs/promises';
import type { Figures } from './figures.js';
import { HistoryRows } from './history-row.js';
import { jsonText } from './raw-json.js';
import type { MetricDefinitions } from './metric-definitions.js';
import { decodeRecord, encodeRecord, timestampOf, type Item, type LogRecord } from './records.js';
import { Summary } from './summary.js';
import { closedOnError, readLog, TransactionLog } from './transaction-log.js';

/** The number of milliseconds between two records of the whole summary while the run is running. */
const SUMMARY_MS = 30_000;

/** Values that are computed once for all history rows with the same metrics. */
interface Prepared {
  names: readonly string[];
  rows: HistoryRows;
  at: ReadonlyMap<string, number>;
  /** The step metrics (those on the x axis of other metrics' plots) that a row with these metrics needs. */
  synced: readonly string[];
}

export class RunLog {
  /** The largest step in the log; 0 if it has no rows. */
  lastStep = 0;
  #records = 0;
  /** The number of seconds that earlier processes worked on the run. */
  #secondsBefore = 0;
  #startedMs = performance.now();
  #summarizedMs = performance.now();
  #queue: Promise<void> = Promise.resolve();
  #prepared: Prepared | null = null;
  /** The latest value of each step metric as JSON text, for rows that lack it. */
  readonly #values = new Map<string, string>();
  readonly #summary: Summary;
  /** The points of the metrics that `open` was asked to keep, for plots; x is the step. */
  readonly series = new Map<string, { x: number; y: number }[]>();

  private constructor(
    private readonly file: TransactionLog,
    private readonly definitions: MetricDefinitions,
  ) {
    this.#summary = new Summary(definitions);
  }

  /**
   * Opens the log at its end if it exists.
   *
   * @param start first records of a new log
   * @param kept the metrics whose points are kept in `series`
   */
  static async open(
    path: string,
    start: readonly LogRecord[],
    definitions: MetricDefinitions,
    kept: readonly string[] = [],
  ): Promise<RunLog> {
    const { records, end } = await wholeRecords(path);
    const log = new RunLog(await TransactionLog.open(path, end), definitions);
    return closedOnError(log, async () => {
      for (const name of kept) log.series.set(name, []);
      for (const record of records) log.#restore(record);
      log.#startedMs = performance.now();
      if (records.length === 0) await log.append(...start);
      return log;
    });
  }

  /** Closes the file without a record of the run's end, so that a later process can continue the log. */
  close(): Promise<void> {
    return this.file.close();
  }

  /** The number of seconds that all processes so far have worked on the run. */
  get runtime(): number {
    return this.#secondsBefore + (performance.now() - this.#startedMs) / 1000;
  }

  /** @param values further values of the row, as JSON text by key */
  async history(step: number, figures: Figures, values: ReadonlyMap<string, string> = new Map()): Promise<void> {
    const { names, texts } = figures;
    const isNew = names !== this.#prepared?.names;
    const { rows, at, synced } = isNew ? (this.#prepared = this.#prepare(names)) : this.#prepared!;
    const metrics = this.definitions.recordsFor([...(isNew ? names : []), ...values.keys()]);
    const more = new Map(values);
    for (const option of [...synced, ...[...values.keys()].flatMap((key) => this.#syncOf(key))]) {
      const known = this.#values.get(option);
      if (known !== undefined && !at.has(option) && !more.has(option)) more.set(option, known);
    }
    more
      .set('_step', String(step))
      .set('_timestamp', String(Date.now() / 1000))
      .set('_runtime', String(this.runtime));
    this.#summary.foldRow(figures);
    for (const name of this.definitions.stepMetrics) if (at.has(name)) this.#values.set(name, texts[at.get(name)!]);
    for (const [name, points] of this.series) if (at.has(name)) addPoint(points, step, texts[at.get(name)!]);
    this.#fold([...more].map(([key, value_json]) => ({ key, value_json })));
    const due = performance.now() - this.#summarizedMs > SUMMARY_MS;
    await this.#write([
      ...metrics.map((metric) => this.#encoded({ metric })),
      rows.encode(++this.#records, texts, more, step),
      ...(due ? this.#summaryRecords() : []).map((record) => this.#encoded(record)),
    ]);
  }

  #prepare(names: readonly string[]): Prepared {
    return {
      names,
      rows: new HistoryRows(names),
      at: new Map(names.map((name, i) => [name, i])),
      synced: [...new Set(names.flatMap((name) => this.#syncOf(name)))],
    };
  }

  /** Returns the names of the step metrics that a row with this metric must contain. */
  #syncOf(key: string): string[] {
    const option = this.definitions.optionOf(key);
    return option?.step_sync && option.step_metric ? [option.step_metric] : [];
  }

  output(text: string, isError: boolean): Promise<void> {
    const line = text.endsWith('\n') ? text : `${text}\n`;
    return this.append({ output_raw: { output_type: isError ? 0 : 1, timestamp: timestampOf(Date.now()), line } });
  }

  stats(values: Readonly<Record<string, number>>): Promise<void> {
    const item = Object.entries(values).map(([key, value]) => ({ key, value_json: jsonText(value) }));
    return this.append({ stats: { timestamp: timestampOf(Date.now()), item } });
  }

  /** Writes the last records of a finished run: the summary, and the exit code. */
  async finish(exitCode: number, values: ReadonlyMap<string, string>): Promise<void> {
    for (const [key, json] of values) this.#summary.fold(key, json);
    const exit: LogRecord = { exit: { exit_code: exitCode, runtime: Math.floor(this.runtime) } };
    await this.append(...this.#summaryRecords(), exit);
    await this.file.close();
  }

  /** Returns the summary with the members that W&B's file `wandb-summary.json` has. */
  summaryItems(): Item[] {
    return [...this.#summary.items(), { key: '_wandb', value_json: `{"runtime": ${Math.floor(this.runtime)}}` }];
  }

  /** Appends records. Calls write in their order. */
  append(...records: readonly LogRecord[]): Promise<void> {
    return this.#write(records.map((record) => this.#encoded(record)));
  }

  #encoded(record: LogRecord): Uint8Array {
    return encodeRecord({ num: ++this.#records, ...record });
  }

  #write(payloads: readonly Uint8Array[]): Promise<void> {
    const written = this.#queue.then(() => this.file.append(payloads));
    this.#queue = written.catch(() => {}); // `written` passes the error to the caller
    return written;
  }

  #summaryRecords(): LogRecord[] {
    this.#summarizedMs = performance.now();
    return [{ summary: { update: this.summaryItems() } }];
  }

  #fold(items: readonly Item[]): void {
    const x = Number(items.find(({ key }) => key === '_step')?.value_json);
    for (const [name, points] of this.series) {
      const json = items.find(({ key }) => key === name)?.value_json;
      if (json !== undefined) addPoint(points, x, json);
    }
    for (const { key, nested_key, value_json } of items) {
      const name = key || nested_key!.join('.');
      this.#values.set(name, value_json!);
      this.#summary.fold(name, value_json!);
      if (name === '_step') this.lastStep = Math.max(this.lastStep, Number(value_json));
      if (name === '_runtime') this.#secondsBefore = Math.max(this.#secondsBefore, Number(value_json));
    }
  }

  #restore({ num, history, metric }: LogRecord): void {
    this.#records = num ?? this.#records;
    if (history) this.#fold(history.item ?? []);
    if (metric?.name) this.definitions.wasWritten(metric.name);
  }
}

function addPoint(points: { x: number; y: number }[], x: number, json: string): void {
  if (Number.isFinite(Number(json))) points.push({ x, y: Number(json) });
}

/**
 * Reads the records of an earlier process, without the record of its end. Also returns the file offset after them; empty if there
 * is no file.
 */
async function wholeRecords(path: string): Promise<{ records: LogRecord[]; end: number }> {
  const records: LogRecord[] = [];
  let end = 0;
  if ((await stat(path).catch(() => null)) === null) return { records, end };
  for await (const framed of readLog(path)) {
    const record = decodeRecord(framed.payload);
    if (record.exit !== undefined) break;
    records.push(record);
    end = framed.end;
  }
  return { records, end };
}
