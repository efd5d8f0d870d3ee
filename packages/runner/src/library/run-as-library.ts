// Runs a task for a program that uses @bowyer/runner as a library: with the same config, folder, checkpoints and results as on
// the command line, but without terminal output, signal handlers and an exit of the process.
import { join } from 'node:path';
import { overrideText, runCommandLine, type JobContext, type TextSink } from '@bowyer/config';
import { snakeKeys } from '@bowyer/core';
import { schemaOf } from '../config/units.js';
import { resolvedConfig } from '../context/resolved-config.js';
import { bowyer } from '../program.js';
import { REPORT_FILE } from '../report/write-report.js';
import { runTask } from '../run-task.js';
import { settingsOf, type GivenAgent } from '../context/given-agent.js';
import type { RunProgress } from '../context/iteration-line.js';

export interface LibraryRun {
  /** Such as `train_agent`. */
  configName: string;
  /**
   * Config keys in camelCase; an option of a config group by the name of the group, such as `algorithm: 'rloo'`. Undefined values
   * keep their defaults.
   */
  settings: Readonly<Record<string, unknown>>;
  /** Asks the run to stop at a point from which it can be resumed; an evaluation or a test in progress is discarded. */
  signal?: AbortSignal;
  log?: (message: string, level: 'INFO' | 'WARNING') => void;
  onProgress?: (progress: RunProgress & { report: string }) => void;
  /** The agent function, for tasks whose agent is a user's program. */
  agent?: GivenAgent;
}

/**
 * Runs a task for the calling program.
 *
 * @returns the folder of the run
 * @throws for a refused config, with the command line's message; for a failed run, the error that ended it; for a stopped run,
 *   the signal's reason
 */
export async function runAsLibrary(run: LibraryRun): Promise<{ directory: string }> {
  const refusal: string[] = [];
  const stderr: TextSink = { write: (text) => refusal.push(text) };
  const nowhere: TextSink = { write: () => true };
  let directory: string | null = null;
  let failure: unknown = null;
  const job = async (context: JobContext) => {
    directory = context.outputDirectory;
    await runJob(run, context).catch((error: unknown) => (failure = error));
  };
  await runCommandLine({ ...bowyer(argumentsOf(run)), stdout: nowhere, stderr, job });
  run.signal?.throwIfAborted();
  if (failure !== null) throw failure;
  if (directory === null)
    throw new Error(
      refusal
        .join('')
        .replace(/\nSet the environment variable HYDRA_FULL_ERROR[^\n]*\n$/, '')
        .trim(),
    );
  return { directory };
}

function argumentsOf({ configName, settings, agent }: LibraryRun): string[] {
  const all = { ...settings, ...(agent && settingsOf(agent)) };
  const given = Object.entries(snakeKeys(all) as Record<string, unknown>).filter(([, value]) => value !== undefined);
  return ['--config-name', configName, ...given.map(([key, value]) => overrideText(key, value))];
}

async function runJob({ signal, log = () => {}, onProgress, agent }: LibraryRun, context: JobContext): Promise<void> {
  const { composition, outputDirectory } = context;
  const config = resolvedConfig(composition.resolve(), schemaOf(composition));
  let stop: (() => void) | null = null;
  const onAbort = () => stop?.();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    signal?.throwIfAborted();
    await runTask({
      directory: outputDirectory,
      config,
      agent,
      signal,
      onProgress: (progress) => onProgress?.({ ...progress, report: join(outputDirectory, REPORT_FILE) }),
      log(message, level = 'INFO') {
        context.log(level, message, 'run');
        log(message, level);
      },
      print: () => {},
      progress: { write: () => true },
      onInterrupt(action) {
        stop = action;
        if (signal?.aborted) action?.();
      },
    });
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
