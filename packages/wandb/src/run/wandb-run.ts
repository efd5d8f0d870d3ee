// One run: everything is in its log on disk first; a sender in the background follows the log.
import { appendFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { namingFile } from '@bowyer/core';
import { ADVICE, type Advice } from '../place/advice.js';
import { findKey, type Environment } from '../place/api-key.js';
import { findPlace, makerOf, type RunPlace } from '../place/run-place.js';
import { settingsOf, type PlaceOptions, type WandbSettings } from '../place/settings.js';
import { figuresOf, type Figures } from '../log/figures.js';
import { MetricDefinitions, type MetricDefinition } from '../log/metric-definitions.js';
import { jsonText, rawText, setRaw, type RawTree } from '../log/raw-json.js';
import type { Item } from '../log/records.js';
import { RunLog } from '../log/run-log.js';
import { closedOnError } from '../log/transaction-log.js';
import { copyFolder } from '../server/artifact-copy.js';
import type { Sending } from '../server/send-run.js';
import { artifactRecord, type ArtifactOptions } from './artifact-record.js';
import { imageValue, tableValue, type MediaValue, type Picture } from './media.js';
import { AT_END, filesRecord, MEDIA_FILE, NOW, startRecords, WANDB_FILE } from './start-records.js';
import { SystemMetrics } from './system-metrics.js';

export interface RunOptions {
  /** The run's own folder. A later process that opens the same folder continues the run. */
  directory: string;
  /** Project and name where neither `place` nor the environment gives them. */
  project: string;
  name: string;
  config: Readonly<Record<string, unknown>>;
  /** The run's destination, and how it gets there; W&B's variables and settings files decide what is absent or null. */
  place?: Partial<PlaceOptions>;
  metrics?: readonly MetricDefinition[];
  /** Metrics whose points `series` keeps, those of earlier processes included. */
  kept?: readonly string[];
  /** Seconds between samples of CPU and memory; absent or 0: none. */
  systemSeconds?: number;
  /** The longest wait for the server at the end of the run, in seconds; absent: until everything is sent. */
  finishSeconds?: number;
  env: Environment;
  note: (message: string) => void;
  warn: (message: string) => void;
  /** Called when a person has pressed stop at the server. */
  onStop?: () => void;
  advice?: Advice;
}

/** A value of a row: a number, or a file that the row refers to. */
export type RowValue = number | MediaValue;

const PLACE: PlaceOptions = {
  mode: null,
  entity: null,
  project: null,
  runId: null,
  group: null,
  jobType: null,
  notes: null,
  tags: [],
};

const settingsFor = ({ place, project, name, env }: Pick<RunOptions, 'place' | 'project' | 'name' | 'env'>) =>
  settingsOf({ ...PLACE, ...place }, { project, name }, env);

/** Checks the settings of a run before it starts. @throws {Error} if a setting is wrong, or if a key is needed and there is none */
export function checkRun(
  options: Pick<RunOptions, 'place' | 'project' | 'name' | 'env'>,
  { offline }: Pick<Advice, 'offline'> = ADVICE,
): void {
  const { mode, baseUrl } = settingsFor(options);
  if (mode === 'online') findKey(baseUrl, options.env, offline);
}

/** Returns null in the mode `disabled`, in which nothing is written. */
export async function openRun(options: RunOptions): Promise<WandbRun | null> {
  const settings = settingsFor(options);
  if (settings.mode === 'disabled') return null;
  const advice = options.advice ?? ADVICE;
  const place = await findPlace(options.directory, settings, advice.otherRun);
  const definitions = new MetricDefinitions(options.metrics ?? []);
  const log = await RunLog.open(place.log, await startRecords(options, place, settings), definitions, options.kept);
  return closedOnError(log, async () => {
    const sending = settings.mode === 'online' ? await send(options, place, settings, advice) : null;
    if (sending === null) options.note(`W&B: offline in ${place.folder}`);
    return new WandbRun(options, { place, log, sending, settings });
  });
}

async function send(
  { env, note, warn, onStop = () => {} }: RunOptions,
  place: RunPlace,
  { baseUrl, resume, runId }: WandbSettings,
  advice: Advice,
): Promise<Sending> {
  const { startSending } = await import('../server/send-run.js');
  return startSending({
    place,
    baseUrl,
    key: findKey(baseUrl, env, advice.offline),
    env,
    // Only an id that the user gave can belong to a run from elsewhere.
    resume: runId === null ? null : resume,
    note,
    warn,
    onStop,
    refuse: null,
    syncCommand: advice.sync,
  });
}

interface OpenRun {
  place: RunPlace;
  settings: WandbSettings;
  log: RunLog;
  /** Null: the run is offline. */
  sending: Sending | null;
}

export class WandbRun {
  readonly #system = new SystemMetrics();
  readonly #timer: NodeJS.Timeout | null;
  #aside: Promise<unknown> = Promise.resolve();

  /** Starts the run; `openRun` calls it. @internal */
  constructor(
    private readonly options: RunOptions,
    private readonly open: OpenRun,
  ) {
    const { systemSeconds = 0 } = options;
    this.#timer =
      systemSeconds > 0 ? setInterval(() => this.#later(() => this.#sample()), 1000 * systemSeconds).unref() : null;
  }

  get id(): string {
    return this.open.place.id;
  }

  /** Returns the W&B folder of the run, which `syncRuns` sends. */
  get folder(): string {
    return this.open.place.folder;
  }

  /** Returns the name of the artifact that holds the run's model. */
  get modelName(): string {
    return modelName(this.id);
  }

  /** Returns the largest step that was logged, also by an earlier process; 0: none. */
  get lastStep(): number {
    return this.open.log.lastStep;
  }

  /** Returns the points of the metrics in `kept`; they grow while the run is under way. */
  get series(): ReadonlyMap<string, readonly { x: number; y: number }[]> {
    return this.open.log.series;
  }

  /** Writes a row. Steps that an earlier process has logged are left out. */
  log(
    step: number,
    metrics: Readonly<Record<string, number>>,
    values: Iterable<readonly [string, RowValue]> = [],
  ): Promise<void> {
    return this.logFigures(step, figuresOf(metrics), values);
  }

  /** Logs a row as `log` does, for a caller that has the figures as lists already. */
  async logFigures(step: number, figures: Figures, values: Iterable<readonly [string, RowValue]> = []): Promise<void> {
    if (step > this.lastStep) await this.open.log.history(step, figures, await this.#jsonOf(values));
  }

  /** Writes a table to a file, and returns the value that refers to it. */
  table(
    key: string,
    step: number,
    columns: readonly string[],
    rows: readonly (readonly (string | number)[])[],
  ): Promise<MediaValue> {
    return tableValue(this.open.place.files, { key, step }, columns, rows);
  }

  /** Writes an image to a file, and returns the value that refers to it. */
  image(key: string, step: number, picture: Picture): Promise<MediaValue> {
    return imageValue(this.open.place.files, { key, step }, picture);
  }

  /** Logs a line of the console. */
  output(line: string, isError: boolean): void {
    const { log, place } = this.open;
    const path = join(place.files, 'output.log');
    this.#later(() => namingFile(path, () => appendFile(path, `${line}\n`)).then(() => log.output(line, isError)));
  }

  /**
   * Logs a folder or a file as a new version of an artifact. Its checksums are made in the background.
   *
   * @param copyAs copies the folder under this name first: the caller may then replace or remove its own
   */
  async artifact(artifact: ArtifactOptions, { copyAs }: { copyAs?: string } = {}): Promise<void> {
    const path = copyAs === undefined ? artifact.path : await copyFolder(artifact.path, this.open.place.folder, copyAs);
    this.#later(() => this.#append({ ...artifact, path }));
  }

  /**
   * Logs a folder or a file that the run has used, as an artifact. A model that a run of this package has made gets the name
   * that it has there, by which the server links the two runs.
   */
  input(type: 'model' | 'dataset', path: string): void {
    this.#later(async () => {
      const maker = await makerOf(path);
      const name = maker === null ? `${type}-${basename(path)}` : modelName(maker);
      await this.#append({ type, name, path, aliases: [], isInput: true, metadata: {} });
    });
  }

  /**
   * Writes what is left, and waits for the sender.
   *
   * @param summary values besides those of the last rows
   */
  async close(exitCode: number, summary: Iterable<readonly [string, RowValue]> = []): Promise<void> {
    const { log, place, sending } = this.open;
    if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#later(() => this.#sample());
    }
    await this.#aside;
    const values = await this.#jsonOf(summary);
    await log.append(filesRecord(['wandb-summary.json', 'output.log'], AT_END, WANDB_FILE));
    await log.finish(exitCode, values);
    await writeFile(join(place.files, 'wandb-summary.json'), `${summaryText(log.summaryItems())}\n`);
    if (sending !== null) await this.#finish(sending);
  }

  async #finish(sending: Sending): Promise<void> {
    const { finishSeconds = Infinity, warn, advice = ADVICE } = this.options;
    sending.end();
    const timer = finishSeconds === Infinity ? undefined : setTimeout(() => sending.abort(), 1000 * finishSeconds);
    const isDone = await sending.done;
    clearTimeout(timer);
    if (!isDone) warn(`W&B does not have the whole run; it is on disk\n  to send it: ${advice.sync(this.folder)}`);
  }

  /** Returns the JSON of values, after a record of the files that they refer to. */
  async #jsonOf(values: Iterable<readonly [string, RowValue]>): Promise<Map<string, string>> {
    const entries = [...values];
    const files = entries.flatMap(([, value]) => (typeof value === 'number' ? [] : [value.path]));
    if (files.length > 0) await this.open.log.append(filesRecord(files, NOW, MEDIA_FILE));
    return new Map(entries.map(([key, value]) => [key, typeof value === 'number' ? jsonText(value) : value.json]));
  }

  async #append(artifact: ArtifactOptions): Promise<void> {
    const { log, settings } = this.open;
    const run = { run_id: this.id, project: settings.project, entity: settings.entity };
    await log.append({ artifact: await artifactRecord(run, artifact) });
  }

  async #sample(): Promise<void> {
    await this.open.log.stats(await this.#system.sample(this.options.directory));
  }

  /** Does work in the background. If it fails here, it fails again when a row is written, which is reported. */
  #later(work: () => Promise<unknown>): void {
    this.#aside = this.#aside.then(work).catch(() => {});
  }
}

const modelName = (runId: string) => `run-${runId}-model`;

function summaryText(items: readonly Item[]): string {
  const tree: RawTree = new Map();
  for (const { key, value_json } of items) setRaw(tree, [key!], value_json!);
  return rawText(tree);
}
