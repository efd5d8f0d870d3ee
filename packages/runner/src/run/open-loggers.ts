// Opens all loggers of a config (W&B, TensorBoard and others) and wraps them as one. A logger that fails never stops the run.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskContext } from '../context/task-context.js';
import {
  findLogger,
  type LoggedCheckpoint,
  type LoggedEnd,
  type LoggedRun,
  type LoggedStep,
  type RunLogger,
} from '@bowyer/logging';

export type LoggerConfig = Readonly<Record<string, object>>;

type LoggingContext = Pick<TaskContext, 'directory' | 'config' | 'log' | 'onOutput' | 'requestStop'>;

interface LoggingConfig {
  logger: LoggerConfig;
  projectName: string;
  runName: string;
}

/** Throws if a requirement is missing, such as the API key of a logger's server. */
export function checkLoggers({ logger, projectName: project, runName: name }: LoggingConfig): void {
  for (const [unit, options] of Object.entries(logger)) findLogger(unit)!.check?.({ project, name }, options);
}

/** All loggers of a run. If they are disposed of before `finish` is called, they record that the run has failed. */
export class RunLoggers implements AsyncDisposable {
  #isClosed = false;

  private constructor(
    private readonly directory: string,
    private readonly loggers: readonly RunLogger[],
  ) {}

  /**
   * @param resumedAfter the number of lines of metrics.jsonl that a resumed run keeps; 0 for a new run
   * @throws if a logger cannot be opened, since the user can still fix it when the run starts
   */
  static async open(
    { logger, projectName: project, runName: name }: LoggingConfig,
    { directory, config: { nodes, values }, log, onOutput, requestStop }: LoggingContext,
    resumedAfter: number,
  ): Promise<RunLoggers> {
    const warn = (message: string) => log(message, 'WARNING');
    const run: LoggedRun = {
      directory,
      resumedAfter,
      project,
      name,
      onOutput,
      warn,
      config: nodes,
      note: (message) => log(message),
      stop: requestStop,
      inputs: inputsOf(values),
    };
    const open: GuardedLogger[] = [];
    for (const [unit, options] of Object.entries(logger))
      open.push(new GuardedLogger(unit, await findLogger(unit)!.open(run, options), warn));
    return new RunLoggers(directory, open);
  }

  async log(step: LoggedStep): Promise<void> {
    await Promise.all(this.loggers.map((logger) => logger.log(step)));
  }

  async checkpoint(written: LoggedCheckpoint): Promise<void> {
    await Promise.all(this.loggers.map((logger) => logger.checkpoint?.(written)));
  }

  /** @param figures the final metrics, from the results; null if the user stopped the run */
  async finish(figures: Readonly<Record<string, number>> | null): Promise<void> {
    const best = join(this.directory, 'checkpoints', 'best');
    const model = figures !== null && existsSync(best) ? best : null;
    await this.#close({ status: figures === null ? 'stopped' : 'finished', results: figures ?? {}, model });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isClosed) await this.#close({ status: 'failed', results: {}, model: null });
  }

  async #close(end: LoggedEnd): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.loggers.map((logger) => logger.close(end)));
  }
}

/**
 * Lists the local models and datasets from which a run starts, as inputs for loggers. A model of the Hugging Face hub is not
 * listed, since the hub records its origin.
 */
function inputsOf(config: Readonly<Record<string, unknown>>): LoggedRun['inputs'] {
  const { demonstrations, policy, task } = config as Readonly<
    Record<string, Readonly<Record<string, unknown>> | undefined>
  >;
  const models = [policy?.checkpoint, policy?.model, task?.model].map((given) => ['model', given] as const);
  const datasets = [task?.data, demonstrations?.path].map((given) => ['dataset', given] as const);
  return [...models, ...datasets].flatMap(([type, given]) =>
    typeof given === 'string' && existsSync(given) ? [{ type, path: given }] : [],
  );
}

/**
 * A logger whose first failure is logged as a warning, after which it is not called again. No metric is lost, since the run's own
 * files have them all.
 */
class GuardedLogger implements RunLogger {
  #failed = false;

  constructor(
    private readonly name: string,
    private readonly logger: RunLogger,
    private readonly warn: (message: string) => void,
  ) {}

  log(step: LoggedStep): Promise<void> {
    return this.#guarded(() => this.logger.log(step));
  }

  checkpoint(written: LoggedCheckpoint): Promise<void> {
    return this.#guarded(async () => this.logger.checkpoint?.(written));
  }

  close(end: LoggedEnd): Promise<void> {
    return this.#guarded(() => this.logger.close(end));
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    if (this.#failed) return;
    try {
      await work();
    } catch (error) {
      this.#failed = true;
      this.warn(
        `logger ${this.name}: ${(error as Error).message}\n  it writes nothing more in this process; the run continues`,
      );
    }
  }
}
