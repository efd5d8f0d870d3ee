// From a composed config to the task it names. The compute stack is loaded here, after the config has been validated.
import { camelKeys, oneRank, reportWaits, type ReadWatcher } from '@bowyer/core';
import { settleDevice, type DeviceConfig, useLocalModels, openEnvParts, type EnvironmentConfig } from '@bowyer/agent';
import { decisivePart } from './config/decisive.js';
import { withBars } from './context/progress-bars.js';
import { oneProcessText, processesOf, processesText } from './context/processes.js';
import { findTask } from './tasks/registry.js';
import { withTracing } from './trace/with-tracing.js';
import type { TaskContext } from './context/task-context.js';
import type { TObject } from '@sinclair/typebox';

/** The other name of `eval_decoding` is gone, and what took other keys from a run: a run is the same however they were given. */
function withDecoding({
  evalDoSample = null,
  asTrained: _,
  ...config
}: Record<string, unknown>): Record<string, unknown> {
  return evalDoSample === null ? config : { ...config, evalDecoding: evalDoSample === true ? 'sample' : 'greedy' };
}

/** What the command line gives; the rest of a task's context is made here. */
type RunContext = Omit<TaskContext, 'envParts' | 'decisive' | 'plainConfig' | 'onOutput' | 'requestStop' | 'processes'>;

/** The context's log and interrupt, as loggers follow them. */
function observed({
  log,
  onInterrupt,
}: RunContext): Pick<TaskContext, 'log' | 'onInterrupt' | 'onOutput' | 'requestStop'> {
  const listeners = new Set<(line: string, isError: boolean) => void>();
  let stop: (() => void) | null = null;
  const observedLog: TaskContext['log'] = (message, level = 'INFO') => {
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
  };
}

/** The part of a config that decides the run's numbers. @param yaml a config that `schema` has accepted */
export const decisiveOf = (yaml: Record<string, unknown>, schema: TObject): Record<string, unknown> =>
  decisivePart(withDecoding(camelKeys(yaml) as Record<string, unknown>), schema);

/**
 * @param yaml a config that `schema` has accepted
 * @param reads for the test of unread keys
 */
export const runTask = (
  yaml: Record<string, unknown>,
  schema: TObject,
  context: RunContext,
  reads?: ReadWatcher,
): Promise<void> => runPrepared(yaml, decisiveOf(yaml, schema), context, reads);

/** As `runTask`, where the decisive part is known already. */
export async function runPrepared(
  yaml: Record<string, unknown>,
  decisive: Record<string, unknown>,
  given: RunContext,
  reads?: ReadWatcher,
): Promise<void> {
  const unit = findTask(yaml.task as string)!;
  const plain = withDecoding(camelKeys(yaml) as Record<string, unknown>);
  const config = reads ? reads.watch(plain) : plain;
  const context = withBars({ ...given, ...observed(given) });
  reportWaits({ report: (line) => context.log(line, 'WARNING') });
  const run = await unit.load();
  if ('device' in plain) await settleDevice(config as DeviceConfig, context);
  const { ranks = oneRank } = context;
  const threads = (plain.threads as number | undefined) ?? 0;
  const processes = processesOf(ranks, threads);
  if (unit.sharesRanks === true && ranks.rank === 0)
    context.log(processes === null ? oneProcessText(threads) : processesText(processes));
  // Rank 0 downloads; the others then find the files.
  if (ranks.rank === 0) await useLocalModels(config, context);
  await ranks.barrier();
  if (ranks.rank > 0) await useLocalModels(config, context);
  const { parts, close } = unit.plays
    ? await openEnvParts(config as EnvironmentConfig, context)
    : { parts: {}, close: () => Promise.resolve() };
  try {
    const work = () => run(config, { ...context, processes, envParts: parts, decisive, plainConfig: yaml });
    await (ranks.rank === 0 ? withTracing(config as never, context, work) : work());
  } finally {
    await close();
  }
}
