// logger=wandb: the run at Weights & Biases. Everything is in its log on disk first; a sender in the background follows it.
import { appendFile, writeFile } from 'node:fs/promises';
import { hostname, platform, release } from 'node:os';
import { join } from 'node:path';
import { count, episodicReturn, namingFile, nullable, oneOf, type OptionsOf } from '@bowyer/core';
import { Type } from '@sinclair/typebox';
import type { LoggedEnd, LoggedRun, LoggedStep, LoggerUnit, RunLogger } from '../loggers/logger.js';
import { findKey } from './api-key.js';
import { MetricDefinitions, metricOption } from './metric-definitions.js';
import { tableValue } from './media.js';
import { jsonText, rawText, setRaw, type RawTree } from './raw-json.js';
import { timestampOf, type Item, type LogRecord } from './records.js';
import { RunLog } from './run-log.js';
import { findPlace, type RunPlace } from './run-place.js';
import type { Sending } from './send-run.js';
import { settingsOf, type WandbSettings } from './settings.js';
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
    const log = await RunLog.open(place.log, await startRecords(run, place, settings), definitions);
    const sending = settings.mode === 'online' ? await send(run, place, settings) : null;
    if (sending === null) run.note(`W&B: offline in ${place.folder}`);
    const logger = new WandbLogger(run, own, { place, log, sending });
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

/** In place of a producer's version. */
const VERSION = 'bowyer-0.1.0';
const WANDB_FILE = 1;
const MEDIA_FILE = 2;
const [NOW, AT_END] = [0, 1];

async function startRecords(run: LoggedRun, { id, files }: RunPlace, settings: WandbSettings): Promise<LogRecord[]> {
  const start_time = timestampOf(Date.now());
  const host = process.env.WANDB_HOST || hostname();
  const update = Object.entries(run.config).map(([key, value]): Item => ({ key, value_json: jsonText(value) }));
  const { entity, project, group, jobType, name, notes, tags, sweepId } = settings;
  const system = { os: `${platform()}-${release()}`, host, program: 'bowyer' };
  const commit = process.env.WANDB_GIT_COMMIT;
  const metadata = { ...system, startedAt: new Date().toISOString(), root: run.directory, git: commit && { commit } };
  await writeFile(join(files, 'wandb-metadata.json'), `${jsonText(metadata)}\n`);
  const tree: RawTree = new Map(update.map(({ key, value_json }) => [key!, `{"value": ${value_json}}`]));
  await writeFile(join(files, 'config.yaml'), `${rawText(tree)}\n`); // JSON is YAML
  return [
    { header: { version_info: { producer: VERSION, min_consumer: '0.19.0' } } },
    {
      run: {
        ...{ run_id: id, entity, project, run_group: group, job_type: jobType, display_name: name, notes, tags, host },
        ...{ sweep_id: sweepId, start_time, telemetry: { cli_version: VERSION }, git: commit ? { commit } : undefined },
        // Without `_wandb` the official sync leaves out the definitions of metrics.
        config: { update: [...update, { key: '_wandb', value_json: '{}' }] },
      },
    },
    { telemetry: { cli_version: VERSION } },
    { environment: { ...system, started_at: start_time, root: run.directory } },
    filesRecord(['wandb-metadata.json', 'config.yaml'], NOW, WANDB_FILE),
  ];
}

const filesRecord = (paths: readonly string[], policy: number, type: number): LogRecord => ({
  files: { files: paths.map((path) => ({ path, policy, type })) },
});

interface OpenRun {
  place: RunPlace;
  log: RunLog;
  /** Null: offline. */
  sending: Sending | null;
}

const EXIT_CODES = { finished: 0, failed: 1, stopped: 255 } as const;

class WandbLogger implements RunLogger {
  readonly #system = new SystemMetrics();
  #timer: NodeJS.Timeout | null = null;
  #unsubscribe: () => void = () => {};
  #lines: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly run: LoggedRun,
    private readonly options: WandbOptions,
    private readonly open: OpenRun,
  ) {}

  /** Follows the console and the computer. */
  watch(): void {
    const { console, systemSeconds } = this.options;
    if (console) this.#unsubscribe = this.run.onOutput((line, isError) => this.#output(line, isError));
    if (systemSeconds === 0) return;
    this.#timer = setInterval(() => this.#aside(() => this.#sample()), 1000 * systemSeconds);
    this.#timer.unref();
  }

  async log({ iteration, metrics, seconds, episodes }: LoggedStep): Promise<void> {
    const { log } = this.open;
    if (iteration <= log.lastStep) return; // an earlier process has logged it
    const row = new Map(Object.entries(metrics).map(([key, value]) => [key, jsonText(value)]));
    for (const [phase, value] of Object.entries(seconds)) row.set(`seconds/${phase}`, jsonText(value));
    await this.#addDialogues(row, iteration, episodes);
    await log.history(iteration, row);
  }

  async close({ status, results }: LoggedEnd): Promise<void> {
    const { log, place, sending } = this.open;
    this.#unsubscribe();
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.options.systemSeconds > 0) this.#aside(() => this.#sample());
    await this.#lines;
    const figures = new Map(Object.entries(results).map(([key, value]) => [key, jsonText(value)]));
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

  async #addDialogues(row: Map<string, string>, step: number, episodes: LoggedStep['episodes']): Promise<void> {
    const { episodes: count, episodesEvery } = this.options;
    const shown = (step - 1) % episodesEvery === 0 ? episodes.slice(0, count) : [];
    if (shown.length === 0) return;
    const { files } = this.open.place;
    const rows = shown.flatMap((episode) =>
      episode.transitions.map(({ state, observation, action, reward }, turn) => {
        return [episode.episode, episodicReturn(episode), turn, state ?? observation, action, reward];
      }),
    );
    const columns = ['episode', 'return', 'turn', 'observation', 'action', 'reward'];
    const value = await tableValue(files, { key: 'rollout/dialogues', step }, columns, rows);
    await this.open.log.append(filesRecord([value.path], NOW, MEDIA_FILE));
    row.set('rollout/dialogues', value.json);
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
