// logger=wandb: the run at Weights & Biases. Everything is in its log on disk first; a sender in the background follows it.
import { appendFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { count, episodicReturn, namingFile, nullable, oneOf, type OptionsOf, type Trajectory } from '@bowyer/core';
import { Type } from '@sinclair/typebox';
import type { LoggedCheckpoint, LoggedEnd, LoggedRun, LoggedStep, LoggerUnit, RunLogger } from '../loggers/logger.js';
import { figuresOf } from '../figures.js';
import { copyFolder } from './artifact-copy.js';
import { findKey } from './api-key.js';
import { MetricDefinitions, metricOption } from './metric-definitions.js';
import { Plots } from './plots.js';
import { tableValue, type MediaValue } from './media.js';
import { artifactRecord, type ArtifactOptions } from './artifact-record.js';
import { jsonText, rawText, setRaw, type RawTree } from './raw-json.js';
import type { Item } from './records.js';
import { RunLog } from './run-log.js';
import { findPlace, makerOf, type RunPlace } from './run-place.js';
import type { Sending } from './send-run.js';
import { settingsOf, type WandbSettings } from './settings.js';
import { AT_END, filesRecord, MEDIA_FILE, NOW, startRecords, WANDB_FILE } from './start-records.js';
import { SystemMetrics } from './system-metrics.js';

const options = Type.Object(
  {
    mode: nullable(
      oneOf(['online', 'offline', 'disabled'], ''),
      'online: sent while the run is under way; offline: on disk only, for wandb_sync; disabled: nothing; null: as WANDB_MODE says, else online',
    ),
    entity: nullable(Type.String(), 'user or team; null: as WANDB_ENTITY says, else the key’s own'),
    project: nullable(Type.String(), 'null: as WANDB_PROJECT says, else project_name'),
    run_id: nullable(Type.String(), 'id of the run at W&B; null: as WANDB_RUN_ID says, else a new one'),
    group: nullable(Type.String(), 'null: as WANDB_RUN_GROUP says'),
    job_type: nullable(Type.String(), 'null: as WANDB_JOB_TYPE says'),
    notes: nullable(Type.String(), 'null: as WANDB_NOTES says'),
    tags: Type.Array(Type.String(), { description: 'besides those of WANDB_TAGS' }),
    metrics: Type.Array(metricOption, { description: 'x axes and summaries of metrics, as wandb.define_metric' }),
    episodes: Type.Integer({ minimum: 0, description: 'episodes in a table of sample dialogues; 0: no tables' }),
    episodes_every: count('iterations from one table of dialogues to the next'),
    plots: Type.Array(Type.String(), {
      description: 'metrics that are drawn into one image, as often as the tables; empty: none',
    }),
    artifacts: Type.Boolean({ description: 'the model that the run has made, and what it began with, as artifacts' }),
    checkpoints: Type.Array(oneOf(['best', 'last'], ''), {
      description:
        'uploaded as artifacts during the run: best: each new best policy; last: each checkpoint that the run resumes from; empty: none',
    }),
    console: Type.Boolean({ description: 'the lines of run.log too' }),
    system_seconds: Type.Number({ minimum: 0, description: 'seconds between samples of CPU and memory; 0: none' }),
    finish_seconds: Type.Number({
      minimum: 0,
      description: 'longest wait for the server at the end of the run, in seconds',
    }),
  },
  { additionalProperties: false, description: 'the run at Weights & Biases' },
);
type WandbOptions = OptionsOf<typeof options>;

export const wandbLogger: LoggerUnit<typeof options> = {
  name: 'wandb',
  description: 'the run at Weights & Biases',
  options,
  check(run, own) {
    const { mode, baseUrl } = settingsOf(own, run, process.env);
    if (mode === 'online') findKey(baseUrl, process.env);
  },
  async open(run, own) {
    const settings = settingsOf(own, run, process.env);
    if (settings.mode === 'disabled') return { log: () => Promise.resolve(), close: () => Promise.resolve() };
    const place = await findPlace(run.directory, settings);
    const definitions = new MetricDefinitions(own.metrics);
    const log = await RunLog.open(place.log, await startRecords(run, place, settings), definitions, own.plots);
    const sending = settings.mode === 'online' ? await send(run, place, settings) : null;
    if (sending === null) run.note(`W&B: offline in ${place.folder}`);
    const logger = new WandbLogger(run, own, { place, log, sending, settings });
    logger.watch();
    return logger;
  },
};

async function send(run: LoggedRun, place: RunPlace, { baseUrl, resume, runId }: WandbSettings): Promise<Sending> {
  const { startSending } = await import('./send-run.js');
  const onStop = () => run.stop?.('stop was pressed at W&B');
  const { note, warn } = run;
  const key = findKey(baseUrl, process.env);
  // Only an id that a person gave can be of a run from elsewhere.
  return startSending({
    place,
    baseUrl,
    key,
    env: process.env,
    resume: runId === null ? null : resume,
    note,
    warn,
    onStop,
    refuse: null,
  });
}

interface OpenRun {
  place: RunPlace;
  settings: WandbSettings;
  log: RunLog;
  /** Null: offline. */
  sending: Sending | null;
}

const EXIT_CODES = { finished: 0, failed: 1, stopped: 255 } as const;

const COLUMNS = ['episode', 'return', 'turn', 'observation', 'action', 'reward'];

const turnsOf = (episode: Trajectory): (string | number)[][] =>
  episode.transitions.map(({ state, observation, action, reward }, turn) => {
    return [episode.episode, episodicReturn(episode), turn, state ?? observation, action, reward];
  });

const modelName = (runId: string) => `run-${runId}-model`;

class WandbLogger implements RunLogger {
  readonly #system = new SystemMetrics();
  #timer: NodeJS.Timeout | null = null;
  #unsubscribe: () => void = () => {};
  #lines: Promise<unknown> = Promise.resolve();
  readonly #plots: Plots;

  constructor(
    private readonly run: LoggedRun,
    private readonly options: WandbOptions,
    private readonly open: OpenRun,
  ) {
    this.#plots = new Plots(run, open.place.files, open.log.series);
  }

  /** Follows the console and the computer. */
  watch(): void {
    const { console, systemSeconds } = this.options;
    if (this.options.artifacts && this.open.log.lastStep === 0)
      for (const input of this.run.inputs) this.#aside(() => this.#addInput(input));
    if (console) this.#unsubscribe = this.run.onOutput((line, isError) => this.#output(line, isError));
    if (systemSeconds === 0) return;
    this.#timer = setInterval(() => this.#aside(() => this.#sample()), 1000 * systemSeconds);
    this.#timer.unref();
  }

  async log({ iteration, metrics, seconds, episodes }: LoggedStep): Promise<void> {
    const { log } = this.open;
    if (iteration <= log.lastStep) return; // an earlier process has logged it
    const more = new Map(Object.entries(seconds).map(([phase, value]) => [`seconds/${phase}`, jsonText(value)]));
    await this.#addMedia(more, iteration, episodes);
    await log.history(iteration, figuresOf(metrics), more);
    if (this.#isShown(iteration)) this.#plots.draw(iteration);
  }

  /** As a new version of one artifact, which W&B links to the run. */
  async checkpoint({ kind, iteration, folder, score }: LoggedCheckpoint): Promise<void> {
    if (!this.options.checkpoints.includes(kind)) return;
    const { place } = this.open;
    const path = await copyFolder(folder, place.folder, `${kind}-${iteration}`);
    const metadata = { iteration, ...(score !== undefined && { score }) };
    const own =
      kind === 'best'
        ? { name: modelName(place.id), type: 'model' as const }
        : { name: `run-${place.id}-checkpoint`, type: 'checkpoint' as const };
    const aliases = ['latest', ...(kind === 'best' ? ['best'] : []), `iteration-${iteration}`];
    // The figures must not wait for checksums of a large model.
    this.#aside(() => this.#artifact({ ...own, path, aliases, isInput: false, metadata }));
  }

  async close({ status, results, model }: LoggedEnd): Promise<void> {
    const { log, place, sending } = this.open;
    this.#unsubscribe();
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.options.systemSeconds > 0) this.#aside(() => this.#sample());
    if (this.options.artifacts && model !== null) this.#aside(() => this.#addModel(model, results));
    await this.#lines;
    const figures = new Map(Object.entries(results).map(([key, value]) => [key, jsonText(value)]));
    await this.#addFiles(figures, await this.#plots.close(log.lastStep));
    await log.append(filesRecord(['wandb-summary.json', 'output.log'], AT_END, WANDB_FILE));
    await log.finish(EXIT_CODES[status], figures);
    await writeFile(join(place.files, 'wandb-summary.json'), `${summaryText(log.summaryItems())}\n`);
    if (sending !== null) await this.#finish(sending);
  }

  async #finish(sending: Sending): Promise<void> {
    const { finishSeconds } = this.options;
    sending.end();
    const timer = setTimeout(() => sending.abort(), 1000 * finishSeconds);
    const isDone = await sending.done;
    clearTimeout(timer);
    if (isDone) return;
    const { syncCommand } = await import('./send-run.js');
    this.run.warn(`W&B has not got the whole run; it is on disk\n  to send it: ${syncCommand(this.open.place)}`);
  }

  #isShown(iteration: number): boolean {
    return (iteration - 1) % this.options.episodesEvery === 0;
  }

  async #addMedia(row: Map<string, string>, step: number, episodes: readonly Trajectory[]): Promise<void> {
    const values = this.#plots.drawn();
    const shown = this.#isShown(step) ? episodes.slice(0, this.options.episodes) : [];
    const table = { key: 'rollout/dialogues', step };
    if (shown.length > 0)
      values.push([table.key, await tableValue(this.open.place.files, table, COLUMNS, shown.flatMap(turnsOf))]);
    await this.#addFiles(row, values);
  }

  async #addFiles(row: Map<string, string>, values: readonly (readonly [string, MediaValue])[]): Promise<void> {
    if (values.length === 0) return;
    const paths = values.map(([, { path }]) => path);
    await this.open.log.append(filesRecord(paths, NOW, MEDIA_FILE));
    for (const [key, { json }] of values) row.set(key, json);
  }

  /** Under the name that the run gave it which made it, where that is known: the server then links the two runs. */
  async #addInput({ type, path }: LoggedRun['inputs'][number]): Promise<void> {
    const maker = await makerOf(path);
    const name = maker === null ? `${type}-${basename(path)}` : modelName(maker);
    await this.#artifact({ type, name, path, aliases: [], isInput: true, metadata: {} });
  }

  #addModel(path: string, metadata: object): Promise<void> {
    const name = modelName(this.open.place.id);
    return this.#artifact({ type: 'model', name, path, aliases: ['latest', 'best'], isInput: false, metadata });
  }

  async #artifact(artifact: ArtifactOptions): Promise<void> {
    const { log, place, settings } = this.open;
    const run = { run_id: place.id, project: settings.project, entity: settings.entity };
    await log.append({ artifact: await artifactRecord(run, artifact) });
  }

  #output(line: string, isError: boolean): void {
    const { log, place } = this.open;
    const path = join(place.files, 'output.log');
    this.#aside(() => namingFile(path, () => appendFile(path, `${line}\n`)).then(() => log.output(line, isError)));
  }

  async #sample(): Promise<void> {
    await this.open.log.stats(await this.#system.sample(this.run.directory));
  }

  /** Beside the run: what fails here fails again when a row is written, which is reported. */
  #aside(work: () => Promise<unknown>): void {
    this.#lines = this.#lines.then(work).catch(() => {});
  }
}

function summaryText(items: readonly Item[]): string {
  const tree: RawTree = new Map();
  for (const { key, value_json } of items) setRaw(tree, [key!], value_json!);
  return rawText(tree);
}
