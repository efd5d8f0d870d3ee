// Opens a W&B run and logs to it. Everything is written to a log on disk. In the background, a sender reads the log and sends it
// to W&B's server.
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
  /** The run's own folder. A later process that opens a run in the same folder continues it. */
  directory: string;
  /** The project and name that are used if neither `place` nor the environment gives them. */
  project: string;
  name: string;
  config: Readonly<Record<string, unknown>>;
  /** The settings of the run. For an absent or null one, W&B's environment variables and settings files are used. */
  place?: Partial<PlaceOptions>;
  metrics?: readonly MetricDefinition[];
  /** The metrics whose points `series` keeps in memory. They include the points of earlier processes. */
  kept?: readonly string[];
  /** The number of seconds between two samples of CPU and memory; absent or 0: no samples. */
  systemSeconds?: number;
  /** The longest time in seconds that the end of the run waits for W&B's server; absent: until everything is sent. */
  finishSeconds?: number;
  env: Environment;
  note: (message: string) => void;
  warn: (message: string) => void;
  /** Called when somebody presses the stop button on W&B's page of the run. */
  onStop?: () => void;
  advice?: Advice;
}

/** A value of a history row: a number, or a reference to a file. */
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

/** Checks the settings before a run begins. @throws {Error} if a setting is wrong, or a required API key is missing */
export function checkRun(
  options: Pick<RunOptions, 'place' | 'project' | 'name' | 'env'>,
  { offline }: Pick<Advice, 'offline'> = ADVICE,
): void {
  const { mode, baseUrl } = settingsFor(options);
  if (mode === 'online') findKey(baseUrl, options.env, offline);
}

/** Opens a run. Returns null in the mode `disabled`, in which nothing is written. */
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
    // An id that was drawn cannot belong to an existing run, so that `resume` matters only for an id that the user chose.
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
  /** The sender to W&B's server; null in the mode `offline` */
  sending: Sending | null;
}

export class WandbRun {
  readonly #system = new SystemMetrics();
  readonly #timer: NodeJS.Timeout | null;
  #aside: Promise<unknown> = Promise.resolve();

  /** Starts the run. Only `openRun` calls this. @internal */
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

  /** The path of the run's W&B folder, which `syncRuns` can send later. */
  get folder(): string {
    return this.open.place.folder;
  }

  /** The name of the W&B artifact that contains the run's model. */
  get modelName(): string {
    return modelName(this.id);
  }

  /** The largest step that was logged, also by an earlier process; 0 if none was. */
  get lastStep(): number {
    return this.open.log.lastStep;
  }

  /** The points of the metrics that the option `kept` names. More are added during the run. */
  get series(): ReadonlyMap<string, readonly { x: number; y: number }[]> {
    return this.open.log.series;
  }

  /** Logs a history row. A step that an earlier process has logged already is skipped. */
  log(
    step: number,
    metrics: Readonly<Record<string, number>>,
    values: Iterable<readonly [string, RowValue]> = [],
  ): Promise<void> {
    return this.logFigures(step, figuresOf(metrics), values);
  }

  /** Logs a history row like `log`, for a caller that already has the metrics as lists. */
  async logFigures(step: number, figures: Figures, values: Iterable<readonly [string, RowValue]> = []): Promise<void> {
    if (step > this.lastStep) await this.open.log.history(step, figures, await this.#jsonOf(values));
  }

  /** Writes a table to a file, and returns a reference to the file for a row. */
  table(
    key: string,
    step: number,
    columns: readonly string[],
    rows: readonly (readonly (string | number)[])[],
  ): Promise<MediaValue> {
    return tableValue(this.open.place.files, { key, step }, columns, rows);
  }

  /** Writes an image to a file, and returns a reference to the file for a row. */
  image(key: string, step: number, picture: Picture): Promise<MediaValue> {
    return imageValue(this.open.place.files, { key, step }, picture);
  }

  output(line: string, isError: boolean): void {
    const { log, place } = this.open;
    const path = join(place.files, 'output.log');
    this.#later(() => namingFile(path, () => appendFile(path, `${line}\n`)).then(() => log.output(line, isError)));
  }

  /**
   * Logs a folder or a file as a new version of a W&B artifact. Its checksums are computed in the background.
   *
   * @param copyAs if it is set, the folder is first copied under this name, so that the caller may replace or remove the original
   */
  async artifact(artifact: ArtifactOptions, { copyAs }: { copyAs?: string } = {}): Promise<void> {
    const path = copyAs === undefined ? artifact.path : await copyFolder(artifact.path, this.open.place.folder, copyAs);
    this.#later(() => this.#append({ ...artifact, path }));
  }

  /**
   * Logs a folder or a file that the run reads, as a W&B artifact. A model that another run of this package has made keeps the
   * artifact name of that run, by which the server links the two runs.
   */
  input(type: 'model' | 'dataset', path: string): void {
    this.#later(async () => {
      const maker = await makerOf(path);
      const name = maker === null ? `${type}-${basename(path)}` : modelName(maker);
      await this.#append({ type, name, path, aliases: [], isInput: true, metadata: {} });
    });
  }

  /**
   * Ends the run: writes the remaining records, and waits for the sender.
   *
   * @param summary values that are added to those of the last rows
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

  /** Returns the JSON texts of a row's values, after it has written a record for the files to which they refer. */
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

  /** Errors are not reported, since the next row that is written fails for the same reason and is reported. */
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
