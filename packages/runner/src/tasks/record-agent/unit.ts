// task=record_agent: a model, or another endpoint, for agents whose rollouts are recorded.
import { Type, type TProperties } from '@sinclair/typebox';
import { nullable } from '@bowyer/core';
import type { Choices } from '@bowyer/agent';
import { runKeys } from '../../keys/run-keys.js';
import { listenKeys, listenProblems } from '../listen-keys.js';
import { serveModelTask } from '../serve-model/unit.js';
import type { TaskUnit } from '../task.js';
import { agentKeys } from '../train-agent/agent-keys.js';

/** Keys of `serve_model` that have no use here: the weights stay, there are no adapters, and rollouts are recorded. */
const KEYS_OF_OTHERS = [
  'follow',
  'adapters',
  'runtime_adapters',
  'max_adapters',
  'max_adapter_rank',
  'adapter_target_modules',
  'record',
  'record_mb',
  'record_redact',
  'canary',
  'canary_share',
];

/** Keys of a server with a model. */
const modelKeys = (choices: Choices): TProperties => ({
  ...Object.fromEntries(Object.entries(serveModelTask.keys(choices)).filter(([key]) => !KEYS_OF_OTHERS.includes(key))),
  splice: agentKeys.splice,
});

/** An endpoint decides itself how it answers. */
function proxyKeys(choices: Choices): TProperties {
  const { model, server_key_env } = serveModelTask.keys(choices);
  return { ...runKeys, ...listenKeys, model, server_key_env };
}

export const recordAgentTask: TaskUnit = {
  name: 'record_agent',
  description: 'serve a model, or pass requests on to another endpoint, and record the rollouts of agents',
  keys: (choices) => ({
    ...(choices.setting('task.upstream') === null && choices.setting('task.replay') === null
      ? modelKeys(choices)
      : proxyKeys(choices)),
    upstream: nullable(
      Type.String(),
      'base URL of an endpoint that answers in place of a model, such as https://HOST/v1; its answers have no tokens, so they are for supervised learning alone. null: the model answers',
    ),
    replay: nullable(
      Type.String(),
      'folder of a recording (save_path of a run with upstream), whose answers are given again to the same requests, without a model; another request is refused with what differs. null: the model or the endpoint answers',
    ),
    upstream_key_env: nullable(
      Type.String(),
      'environment variable with the key that the endpoint is sent; null: the key that the agent sends is passed on',
    ),
    min_reward: nullable(
      Type.Number(),
      'rollouts with a smaller reward, or without one, are left out of conversations.jsonl, which is written at the end; null: they are kept',
    ),
  }),
  plays: false,
  problems({ model, upstream, replay, upstreamKeyEnv, ...config }) {
    const given = Object.entries({ model, upstream, replay }).filter(([, value]) => value !== null);
    if (given.length !== 1)
      return [
        {
          key: 'model',
          message: `task=record_agent needs a model, an endpoint or a recording: ${given.length === 0 ? 'model, upstream and replay are null' : `${given.map(([key]) => key).join(' and ')} are given`}`,
          remedy: 'give one of model=FOLDER, upstream=URL and replay=FOLDER',
        },
      ];
    if (upstream === null && upstreamKeyEnv !== null)
      return [
        { key: 'upstream_key_env', message: 'upstream_key_env is given without upstream', remedy: 'give upstream=URL' },
      ];
    return listenProblems(config, 'server_key_env');
  },
  load: async () => (await import('./record-agent.js')).recordAgent,
};
