// Opens the source of rollouts for an evaluation of a user's agent whose model is behind an endpoint.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ProxyServer, rolloutPlayer, RolloutLog } from '@bowyer/rollouts';
import type { TaskContext } from '../../context/task-context.js';
import { CALLS_FOLDER } from '../../run/calls-folder.js';
import { keyOf } from '../server-key.js';
import type { OpenRolloutSource } from '../train/rollout-source.js';
import type { AgentOptions } from '../train-agent/agent-keys.js';
import type { Agents } from '../train-agent/open-agents.js';
import { partsOf } from './endpoints.js';
import type { EvaluationOptions } from './evaluation-keys.js';

/**
 * Opens the server through which agents use the model of an endpoint: it passes the agents' requests on to the endpoint, and
 * records them in the run's folder.
 */
export async function openEndpoint(
  model: string,
  options: Pick<AgentOptions, 'attempts' | 'failedReward'> & Pick<EvaluationOptions, 'endpointKeys'>,
  { directory, log }: Pick<TaskContext, 'directory' | 'log'>,
  agents: Agents,
): Promise<OpenRolloutSource> {
  const { upstream, host, name } = partsOf(model);
  const { attempts, failedReward, endpointKeys } = options;
  const upstreamKey = keyOf({ serverKeyEnv: endpointKeys?.[host] ?? null }, 'task.endpoint_keys');
  const calls = await RolloutLog.open(join(directory, CALLS_FOLDER));
  const server = await ProxyServer.listen({
    upstream,
    upstreamKey,
    bodyOf: (_, body) => ({ ...(body as object), model: name }),
    host: '127.0.0.1',
    port: 0,
    apiKey: randomUUID(),
    log: calls,
    onFault: (error) => log(error.stack ?? error.message, 'WARNING'),
  });
  const untokenized = {
    sampling: {},
    hasTokens: false,
    decode: () => '',
    masks: { masksOf: () => [] },
  };
  const playSet = rolloutPlayer(server.rollouts, { ...agents, attempts, failedReward, ...untokenized });
  return {
    parts: { makeEnv: null, playSet, environment: 'the agent' },
    [Symbol.asyncDispose]: () => server.close().finally(() => calls.close()),
  };
}
