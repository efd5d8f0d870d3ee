// Implements the logger `wandb`, which logs a run to Weights & Biases.
import {
  commandText,
  count,
  episodicReturn,
  nullable,
  oneOf,
  overrideWord,
  type OptionsOf,
  type Trajectory,
} from '@bowyer/core';
import { Type } from '@sinclair/typebox';
import {
  checkRun,
  openRun,
  SUMMARIES,
  type Advice,
  type MediaValue,
  type RowValue,
  type WandbRun,
} from '@bowyer/wandb';
import { figuresOf } from '../../figures.js';
import type { LoggedCheckpoint, LoggedEnd, LoggedRun, LoggedStep, LoggerUnit, RunLogger } from '../logger.js';
import { Plots } from './plots.js';

const metricOption = Type.Object(
  {
    name: Type.String({ description: 'metric; a * at its end stands for every metric that begins with the rest' }),
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

const options = Type.Object(
  {
    mode: nullable(
      oneOf(['online', 'offline', 'disabled'], ''),
      'online: sent during the run; offline: on disk only, for wandb_sync; disabled: nothing; null: the value of WANDB_MODE, else online',
    ),
    entity: nullable(Type.String(), 'user or team; null: the value of WANDB_ENTITY, else the key’s own'),
    project: nullable(Type.String(), 'project of the run; null: the value of WANDB_PROJECT, else project_name'),
    run_id: nullable(Type.String(), 'id of the run at W&B; null: the value of WANDB_RUN_ID, else a new one'),
    group: nullable(Type.String(), 'group of the run; null: the value of WANDB_RUN_GROUP'),
    job_type: nullable(Type.String(), 'type of the run; null: the value of WANDB_JOB_TYPE'),
    notes: nullable(Type.String(), 'notes about the run; null: the value of WANDB_NOTES'),
    tags: Type.Array(Type.String(), { description: 'tags of the run, besides those of WANDB_TAGS' }),
    metrics: Type.Array(metricOption, { description: 'x axes and summaries of metrics, as wandb.define_metric' }),
    episodes: Type.Integer({ minimum: 0, description: 'episodes in a table of sample dialogues; 0: no tables' }),
    episodes_every: count('iterations from one table of dialogues to the next'),
    plots: Type.Array(Type.String(), {
      description: 'metrics that are drawn into one image, as often as the tables; empty: none',
    }),
    artifacts: Type.Boolean({
      description: 'upload the model that the run has made, and the one it began with, as artifacts',
    }),
    checkpoints: Type.Array(oneOf(['best', 'last'], ''), {
      description:
        'uploaded as artifacts during the run: best: each new best policy; last: each checkpoint that the run resumes from; empty: none',
    }),
    console: Type.Boolean({ description: 'send the lines of run.log' }),
    system_seconds: Type.Number({ minimum: 0, description: 'seconds between samples of CPU and memory; 0: none' }),
    finish_seconds: Type.Number({
      minimum: 0,
      description: 'longest wait for the server at the end of the run, in seconds',
    }),
  },
  { additionalProperties: false, description: 'the run at Weights & Biases' },
);
type WandbOptions = OptionsOf<typeof options>;

/** Returns the command with which a user can later send the run in a folder to W&B's server. */
export const wandbSyncCommand = (folder: string): string =>
  commandText('--config-name', 'wandb_sync', overrideWord('dir', folder));

const advice: Advice = {
  offline:
    'write logger.wandb.mode=offline, and send the run later with: npx bowyer --config-name wandb_sync task.dir=FOLDER',
  otherRun: 'leave out WANDB_RUN_ID and logger.wandb.run_id, or begin in another folder: save_path=FOLDER',
  sync: wandbSyncCommand,
};

export const wandbLogger: LoggerUnit<typeof options> = {
  name: 'wandb',
  description: 'the run at Weights & Biases',
  options,
  check: ({ project, name }, place) => checkRun({ project, name, place, env: process.env }, advice),
  async open(run, own) {
    const { directory, project, name, config, note, warn } = run;
    const { metrics, plots: kept, systemSeconds, finishSeconds } = own;
    const onStop = () => run.stop?.('stop was pressed at W&B');
    const target = { directory, project, name, config, note, warn, onStop };
    const writing = { place: own, metrics, kept, systemSeconds, finishSeconds, env: process.env, advice };
    const opened = await openRun({ ...target, ...writing });
    return opened === null ? disabled : new WandbLogger(run, own, opened);
  },
};

const disabled: RunLogger = { log: () => Promise.resolve(), close: () => Promise.resolve() };

const EXIT_CODES = { finished: 0, failed: 1, stopped: 255 } as const;

const COLUMNS = ['episode', 'return', 'turn', 'observation', 'action', 'reward'];

const turnsOf = (episode: Trajectory): (string | number)[][] =>
  episode.transitions.map(({ state, observation, action, reward }, turn) => {
    return [episode.episode, episodicReturn(episode), turn, state ?? observation, action, reward];
  });

class WandbLogger implements RunLogger {
  readonly #plots: Plots;
  readonly #unsubscribe: () => void;

  constructor(
    { name, warn, inputs, onOutput }: LoggedRun,
    private readonly options: WandbOptions,
    private readonly run: WandbRun,
  ) {
    this.#plots = new Plots({ name, warn }, run);
    if (options.artifacts && run.lastStep === 0) for (const { type, path } of inputs) run.input(type, path);
    this.#unsubscribe = options.console ? onOutput((line, isError) => run.output(line, isError)) : () => {};
  }

  async log({ iteration, metrics, seconds, episodes }: LoggedStep): Promise<void> {
    if (iteration <= this.run.lastStep) return; // an earlier process logged it
    const phases = Object.entries(seconds).map(([phase, value]): [string, RowValue] => [`seconds/${phase}`, value]);
    const media = [...this.#plots.drawn(), ...(await this.#dialogues(iteration, episodes))];
    await this.run.logFigures(iteration, figuresOf(metrics), [...phases, ...media]);
    if (this.#isShown(iteration)) this.#plots.draw(iteration);
  }

  /** Logs a checkpoint folder as a new version of a W&B artifact, which W&B links to the run. */
  async checkpoint({ kind, iteration, folder: path, score }: LoggedCheckpoint): Promise<void> {
    if (!this.options.checkpoints.includes(kind)) return;
    const metadata = { iteration, ...(score !== undefined && { score }) };
    const own =
      kind === 'best'
        ? { name: this.run.modelName, type: 'model' as const }
        : { name: `run-${this.run.id}-checkpoint`, type: 'checkpoint' as const };
    const aliases = ['latest', ...(kind === 'best' ? ['best'] : []), `iteration-${iteration}`];
    // The checkpoint is copied, so that the run can continue and replace it before the checksums of a large model are computed.
    await this.run.artifact({ ...own, path, aliases, isInput: false, metadata }, { copyAs: `${kind}-${iteration}` });
  }

  async close({ status, results, model: path }: LoggedEnd): Promise<void> {
    this.#unsubscribe();
    if (this.options.artifacts && path !== null) {
      const aliases = ['latest', 'best'];
      await this.run.artifact({
        type: 'model',
        name: this.run.modelName,
        path,
        aliases,
        isInput: false,
        metadata: results,
      });
    }
    const images = await this.#plots.close(this.run.lastStep);
    await this.run.close(EXIT_CODES[status], [...Object.entries(results), ...images]);
  }

  #isShown(iteration: number): boolean {
    return (iteration - 1) % this.options.episodesEvery === 0;
  }

  async #dialogues(step: number, episodes: readonly Trajectory[]): Promise<[string, MediaValue][]> {
    const shown = this.#isShown(step) ? episodes.slice(0, this.options.episodes) : [];
    if (shown.length === 0) return [];
    const key = 'rollout/dialogues';
    return [[key, await this.run.table(key, step, COLUMNS, shown.flatMap(turnsOf))]];
  }
}
