// Implements task=record_agent: records every model call of agents that play. A local model, another endpoint or an earlier
// recording answers the calls.
import { join } from 'node:path';
import { InterruptedError } from '@bowyer/algorithms';
import { checkHeld, mean } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { ProgressBar } from '@bowyer/logging';
import {
  AgentServer,
  Cassette,
  finalRewards,
  ProxyServer,
  readRollouts,
  recordTasks,
  REWARD,
  RolloutLog,
  writeConversations,
} from '@bowyer/rollouts';
import { checkTerminator } from '../../agent/policy/check-text-rules.js';
import { deviceOf } from '../../agent/policy/device-choice.js';
import type { TaskContext } from '../../context/task-context.js';
import { failureLog } from '../../run/failure-log.js';
import { loadDecoder, serverOptions, type ServeConfig } from '../serve-model/serve-model.js';
import { withoutAdapters } from '../serve-model/served-adapters.js';
import { keyOf } from '../server-key.js';
import type { TaskConfig } from '../task.js';
import { openAgents, type Agents } from '../train-agent/open-agents.js';
import type { recordAgentOptions } from './unit.js';

type RecordConfig = Omit<ServeConfig, 'task'> & TaskConfig<typeof recordAgentOptions>;

export async function recordAgent(config: RecordConfig, context: TaskContext): Promise<void> {
  const { directory, log: say, print } = context;
  const { minReward, replay, model } = config.task;
  const log = await RolloutLog.open(join(directory, 'rollouts'));
  if (log.cutBytes > 0) say(`${log.folder}: ${log.cutBytes} bytes of a line that was cut off are removed`, 'WARNING');
  try {
    const cassette = replay === null ? undefined : await Cassette.read(replay);
    const upstream = config.task.upstream ?? replay;
    if (upstream === null)
      await recordModel({ ...config, task: { ...config.task, ...withoutAdapters, model: model! } }, log, context);
    else await recordUpstream(config.task, { upstream, cassette }, log, context);
    checkHeld(log.folder); // throws if the lock was lost: another process may write the files
  } finally {
    await log.close();
  }
  const path = join(directory, 'conversations.jsonl');
  const written = await writeConversations(path, readRollouts(log.folder), minReward);
  const { rollouts, kept, conversations, unread } = written;
  if (unread.length > 0)
    say(`${unread.length} calls are in no conversation, as their requests are not read: ${unread[0]}`, 'WARNING');
  print(`${path} has ${kept} of ${rollouts} rollouts (conversations: ${conversations})\n`);
}

async function recordModel(
  config: ServeConfig & { task: Omit<RecordConfig['task'], 'model'> },
  log: RolloutLog,
  context: TaskContext,
): Promise<void> {
  const { model: folder, splice } = config.task;
  await checkTerminator(folder, config);
  const agents = await agentsUntilStopped(config.task, context);
  await using device = await openDevice(deviceOf(config));
  const model = await loadDecoder(folder, config, device);
  const options = await serverOptions(config, model, context.log);
  const server = await AgentServer.listen({ ...options, answersAnyName: true, log, splice });
  announce(server.origin, folder, log, context);
  await agents(server.rollouts, log).finally(() => server.close());
}

async function recordUpstream(
  options: RecordConfig['task'],
  { upstream, cassette }: { upstream: string; cassette: Cassette | undefined },
  log: RolloutLog,
  context: TaskContext,
): Promise<void> {
  const { host, port, upstreamKeyEnv, serverKeyEnv } = options;
  const agents = await agentsUntilStopped(options, context);
  const server = await ProxyServer.listen({
    upstream,
    cassette,
    upstreamKey: upstreamKeyEnv === null ? null : keyOf({ serverKeyEnv: upstreamKeyEnv }, 'task.upstream_key_env'),
    host,
    port,
    apiKey: keyOf({ serverKeyEnv }),
    log,
    onFault: (error) => context.log(error.stack ?? error.message, 'WARNING'),
  });
  announce(server.origin, upstream, log, context);
  await agents(server.rollouts, log).finally(() => server.close());
}

type Host = Parameters<typeof recordTasks>[0];

/**
 * @returns a function that lets the agent play its tasks; if the config names no agent, one that waits until the user stops the
 * command
 */
async function agentsUntilStopped(
  options: RecordConfig['task'],
  context: TaskContext,
): Promise<(host: Host, log: RolloutLog) => Promise<void>> {
  const { onInterrupt, print } = context;
  if (options.agent === null) {
    const stopped = new Promise<void>((resolve) =>
      onInterrupt(resolve, 'the server stops when the answers under way are finished'),
    );
    return async () => {
      await stopped;
      print('stopped: every answer is finished\n');
    };
  }
  const stop = new AbortController();
  onInterrupt(
    () => stop.abort(new InterruptedError('record')),
    'stopping; the same command plays the tasks that are left',
  );
  const whole = { evalTasks: null, testTasks: null, evalShare: 0, testShare: 0 };
  const agents = await openAgents({ ...options, ...whole }, context);
  return (host, log) => recordAll(host, log, agents, options.concurrency, stop.signal, context);
}

/**
 * Plays the tasks that have no rollout in the recording yet.
 *
 * @throws where all of them fail
 */
async function recordAll(
  host: Host,
  log: RolloutLog,
  { tasks: { train: tasks }, run, judge, startAhead }: Agents,
  concurrency: number,
  signal: AbortSignal,
  { log: say, print, progress }: TaskContext,
): Promise<void> {
  const recorded = new Set<string | undefined>();
  for await (const { task, status } of readRollouts(log.folder)) if (status === 'ended') recorded.add(task);
  const left = tasks.filter(({ id }) => !recorded.has(id));
  if (left.length < tasks.length) say(`${tasks.length - left.length} of ${tasks.length} tasks are in the record`);
  const bar = new ProgressBar('rollouts', left.length, progress);
  const failures: Error[] = [];
  const rewards: (number | null)[] = [];
  let ended = 0;
  const { onFailure, onSetEnd } = failureLog(say);
  await recordTasks(host, {
    tasks: left,
    run,
    judge,
    concurrency,
    startAhead,
    signal,
    onRecorded(rollout) {
      bar.update(++ended);
      rewards.push(finalRewards(rollout)[REWARD] ?? null);
    },
    onFailure({ id }, error) {
      if (signal.aborted) return;
      bar.update(++ended);
      failures.push(error);
      onFailure(error, id);
    },
  }).finally(() => bar.finish());
  onSetEnd();
  const given = rewards.filter((reward) => reward !== null);
  const missing = rewards.length - given.length;
  if (given.length > 0) print(`mean reward of ${given.length} rollouts: ${mean(given).toFixed(3)}\n`);
  if (missing > 0)
    say(
      `${missing} of ${rewards.length} rollouts have no reward, so that nothing can be chosen by it: the agent prints one, or task.reward=COMMAND judges`,
      'WARNING',
    );
  if (failures.length > 0 && failures.length === left.length)
    throw new Error(`the agent failed in all ${left.length} rollouts, the first: ${failures[0].message}`, {
      cause: failures[0],
    });
}

function announce(origin: string, what: string, { folder }: RolloutLog, { print }: TaskContext): void {
  print(
    `${what} answers agents at ${origin}/rollouts/ID/v1 with an ID of your own for each rollout (Ctrl-C stops it)\n` +
      `each call is recorded in ${folder}\n`,
  );
}
