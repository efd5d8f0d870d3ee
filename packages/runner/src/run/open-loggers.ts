// The loggers that a config names, as one, which never stops the run.
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

/** Options of each logger by its name. */
export type LoggerConfig = Readonly<Record<string, object>>;

type LoggingContext = Pick<TaskContext, 'directory' | 'config' | 'log' | 'onOutput' | 'requestStop'>;

interface LoggingConfig {
  logger: LoggerConfig;
  projectName: string;
  runName: string;
}

/** Called before any work of the run. @throws what a logger lacks, as a key of its server */
export function checkLoggers({ logger, projectName: project, runName: name }: LoggingConfig): void {
  for (const [unit, options] of Object.entries(logger)) findLogger(unit)!.check?.({ project, name }, options);
}

/**
 * Runs `work` with the loggers of the config, and closes them with its outcome.
 *
 * @param resumedAfter lines of the metrics that are kept; 0 where the run begins
 * @param results figures of what `work` returns; null: the user stopped it
 * @throws if a logger cannot be opened: at the start of a run the user wants to know it
 */
export async function withLoggers<T>(
  config: LoggingConfig,
  { directory, config: { nodes, values }, log, onOutput, requestStop }: LoggingContext,
  resumedAfter: number,
  work: (logger: RunLogger) => Promise<T>,
  results: (outcome: T) => Readonly<Record<string, number>> | null,
): Promise<T> {
  const logger = await openLoggers(config.logger, {
    directory,
    resumedAfter,
    config: nodes,
    project: config.projectName,
    name: config.runName,
    note: (message) => log(message),
    warn: (message) => log(message, 'WARNING'),
    onOutput,
    stop: requestStop,
    inputs: inputsOf(values),
  });
  try {
    const outcome = await work(logger);
    const figures = results(outcome);
    const best = join(directory, 'checkpoints', 'best');
    const model = figures !== null && existsSync(best) ? best : null;
    await logger.close({ status: figures === null ? 'stopped' : 'finished', results: figures ?? {}, model });
    return outcome;
  } catch (error) {
    await logger.close({ status: 'failed', results: {}, model: null });
    throw error;
  }
}

/** The models and datasets on disk that a run begins with: a model of the hub has its own record of its origin. */
function inputsOf(config: Readonly<Record<string, unknown>>): LoggedRun['inputs'] {
  const { path } = (config.demonstrations ?? {}) as { path?: unknown };
  const models = [config.checkpointPath, config.policyLm, config.model].map((given) => ['model', given] as const);
  const datasets = [config.data, path].map((given) => ['dataset', given] as const);
  return [...models, ...datasets].flatMap(([type, given]) =>
    typeof given === 'string' && existsSync(given) ? [{ type, path: given }] : [],
  );
}

async function openLoggers(config: LoggerConfig, run: LoggedRun): Promise<RunLogger> {
  const open: GuardedLogger[] = [];
  for (const [name, options] of Object.entries(config)) {
    const logger = await findLogger(name)!.open(run, options);
    open.push(new GuardedLogger(name, logger, (message) => run.warn(message)));
  }
  return {
    log: async (step) => void (await Promise.all(open.map((logger) => logger.log(step)))),
    checkpoint: async (written) => void (await Promise.all(open.map((logger) => logger.checkpoint(written)))),
    close: async (end) => void (await Promise.all(open.map((logger) => logger.close(end)))),
  };
}

/** After its first failure the logger is not called again, and the user is warned: the run's own files have all figures. */
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
