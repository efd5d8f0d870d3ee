// task=serve_env: an environment over AgentGym's HTTP protocol or OpenEnv's WebSocket protocol.
import { Type } from '@sinclair/typebox';
import { count, rate } from '@bowyer/core';
import { environmentKeysOf } from '@bowyer/agent';
import { runKeys } from '../../keys/run-keys.js';
import { listenKeys, listenProblems } from '../listen-keys.js';
import type { TaskUnit } from '../task.js';

const { seed: _, ...keysOfRun } = runKeys; // nothing is drawn

export const serveEnvTask: TaskUnit = {
  name: 'serve_env',
  description: 'serve an environment over the protocol of AgentGym or of OpenEnv',
  keys: (choices) => ({
    ...keysOfRun,
    ...environmentKeysOf(choices),
    ...listenKeys,
    protocol: Type.Unsafe<'agentgym' | 'openenv'>({
      type: 'string',
      enum: ['agentgym', 'openenv'],
      description: 'agentgym: HTTP; openenv: a WebSocket for each session, and HTTP routes',
    }),
    max_instances: count('environments at the same time'),
    idle_minutes: rate('an environment without requests is closed after this time, in minutes'),
  }),
  plays: true,
  problems: (config) => listenProblems(config, null),
  load: async () => (await import('./serve-env.js')).serveEnv,
};
