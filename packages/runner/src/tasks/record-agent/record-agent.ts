// task=record_agent: agents play with a model, or with another endpoint, and every call is recorded, until the user stops it.
import { join } from 'node:path';
import { checkTerminator, deviceOf } from '@bowyer/agent';
import { checkHeld } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { AgentServer, Cassette, ProxyServer, readRollouts, RolloutLog, writeConversations } from '@bowyer/rollouts';
import type { TaskContext } from '../../context/task-context.js';
import { loadDecoder, serverOptions, type ServeConfig } from '../serve-model/serve-model.js';
import { withoutAdapters } from '../serve-model/served-adapters.js';
import { keyOf } from '../server-key.js';
import type { TaskConfig } from '../task.js';
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
    checkHeld(log.folder); // else the files are another process's
  } finally {
    await log.close();
  }
  const path = join(directory, 'conversations.jsonl');
  const { rollouts, kept, conversations } = await writeConversations(path, readRollouts(log.folder), minReward);
  print(`${path} has ${kept} of ${rollouts} rollouts (conversations: ${conversations})\n`);
}

async function recordModel(
  config: ServeConfig & { task: Pick<RecordConfig['task'], 'splice'> },
  log: RolloutLog,
  context: TaskContext,
): Promise<void> {
  const { model: folder, splice } = config.task;
  await checkTerminator(folder, config);
  const stopped = untilStopped(context);
  const device = await openDevice(deviceOf(config));
  try {
    const model = await loadDecoder(folder, config, device);
    const options = await serverOptions(config, model, context.log);
    const server = await AgentServer.listen({ ...options, answersAnyName: true, log, splice });
    announce(server.origin, folder, log, context);
    await stopped;
    await server.close();
    context.print('stopped: every answer is finished\n');
  } finally {
    await device.close();
  }
}

async function recordUpstream(
  { host, port, upstreamKeyEnv, serverKeyEnv }: RecordConfig['task'],
  { upstream, cassette }: { upstream: string; cassette: Cassette | undefined },
  log: RolloutLog,
  context: TaskContext,
): Promise<void> {
  const stopped = untilStopped(context);
  const server = await ProxyServer.listen({
    upstream,
    cassette,
    upstreamKey: upstreamKeyEnv === null ? null : keyOf({ serverKeyEnv: upstreamKeyEnv }, 'upstream_key_env'),
    host,
    port,
    apiKey: keyOf({ serverKeyEnv }),
    log,
    onFault: (error) => context.log(error.stack ?? error.message, 'WARNING'),
  });
  announce(server.origin, upstream, log, context);
  await stopped;
  await server.close();
  context.print('stopped: every answer is finished\n');
}

const untilStopped = ({ onInterrupt }: TaskContext): Promise<void> =>
  new Promise((resolve) => onInterrupt(resolve, 'the server stops when the answers under way are finished'));

function announce(origin: string, what: string, { folder }: RolloutLog, { print }: TaskContext): void {
  print(
    `${what} answers agents at ${origin}/rollouts/ID/v1 with an ID of your own for each rollout (Ctrl-C stops it)\n` +
      `each call is recorded in ${folder}\n`,
  );
}
