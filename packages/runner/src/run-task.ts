// Runs the task that a resolved config names. The libraries that run models are loaded here, after the config has been validated.
import { printable } from '@bowyer/config';
import { onLockLost, oneRank, reportWaits, unwatched, type LockLostError, type ReadWatcher } from '@bowyer/core';
import { openEnvParts } from './agent/environment/env-parts.js';
import type { EnvironmentConfig } from './agent/environment/environment.js';
import { useLocalModels, type ModelPlaces } from './agent/folders/hub-models.js';
import { settleDevice, type DeviceConfig } from './agent/policy/device-choice.js';
import { oneProcessText, processesOf, processesText } from './context/processes.js';
import { useRecords, type RecordPlaces } from './context/recorded-data.js';
import type { TaskContext } from './context/task-context.js';
import { findTask } from './tasks/registry.js';
import { withTracing, type TraceConfig } from './trace/with-tracing.js';

/** The members of a task's context that the command line gives; `runTask` adds the others. */
type JobContext = Omit<TaskContext, 'envParts' | 'onOutput' | 'requestStop' | 'processes'>;

/** Wraps the context's log and interrupt handler, so that loggers such as that of W&B can follow the log and request a stop. */
function observed({ log, onInterrupt }: JobContext): Pick<
  TaskContext,
  'log' | 'onInterrupt' | 'onOutput' | 'requestStop'
> & {
  stopFor: (reason: string) => boolean;
} {
  const listeners = new Set<(line: string, isError: boolean) => void>();
  let stop: (() => void) | null = null;
  const observedLog: TaskContext['log'] = (text, level = 'INFO') => {
    const message = printable(text);
    log(message, level);
    for (const listener of listeners) listener(message, level === 'WARNING');
  };
  return {
    log: observedLog,
    onInterrupt: (action, announcement) => onInterrupt((stop = action), announcement),
    onOutput: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    requestStop: (reason) => {
      if (stop === null) return;
      observedLog(`${reason}; stopping at the next checkpoint`, 'WARNING');
      stop();
    },
    stopFor: (reason) => {
      if (stop === null) return false;
      observedLog(reason, 'WARNING');
      stop();
      return true;
    },
  };
}

/** The config keys that are read before the task starts. */
type StartConfig = DeviceConfig &
  ModelPlaces &
  EnvironmentConfig &
  TraceConfig &
  RecordPlaces & { task: { name: string; processes?: number } };

/**
 * Stops the task if this process has lost the lock of the run's folder, to which it may then write nothing more; a server would
 * otherwise run forever.
 */
function watchLocks(stopFor: (reason: string) => boolean): { error: LockLostError | null; end: () => void } {
  let hasStopped = false;
  const loss = {
    error: null as LockLostError | null,
    end: onLockLost((error) => {
      loss.error ??= error;
      hasStopped ||= stopFor(error.message);
    }),
  };
  return loss;
}

/** @param reads records which config keys are read, for the test for keys that are never read */
export async function runTask(given: JobContext, reads?: ReadWatcher): Promise<void> {
  const values = structuredClone(given.config.values) as StartConfig & Record<string, unknown>;
  const unit = findTask(values.task.name)!;
  const config = reads ? reads.watch(values) : values;
  const { stopFor, ...watched } = observed(given);
  const context = { ...given, ...watched };
  reportWaits({ report: (line) => context.log(line, 'WARNING') });
  const run = await unit.load();
  if ('device' in config) await settleDevice(config, context);
  const { ranks = oneRank } = context;
  const { device: { threads = 0 } = {}, task } = unwatched(config) as Partial<DeviceConfig> & StartConfig;
  const { processes: players } = task;
  const processes = processesOf(ranks, threads);
  if (unit.sharesRanks === true && ranks.rank === 0)
    context.log(processes === null ? oneProcessText(threads, players) : processesText(processes));
  const useFiles = async () => {
    await useLocalModels(config, context);
    await useRecords(unwatched(config), context);
  };
  // Rank 0 downloads and converts models first, so that the other ranks find the files.
  if (ranks.rank === 0) await useFiles();
  await ranks.barrier();
  if (ranks.rank > 0) await useFiles();
  const { parts, close } = unit.plays
    ? await openEnvParts(config, context)
    : { parts: {}, close: () => Promise.resolve() };
  const loss = watchLocks(stopFor);
  try {
    const work = () => run(config, { ...context, processes, envParts: parts });
    await (ranks.rank === 0 ? withTracing(config, context, work) : work());
  } finally {
    loss.end();
    await close();
  }
  if (loss.error !== null) throw loss.error;
}
