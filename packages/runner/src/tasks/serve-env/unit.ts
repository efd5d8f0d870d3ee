// task=serve_env: an environment over AgentGym's HTTP protocol, OpenEnv's WebSocket protocol, or MCP.
import { Type, type TProperties } from '@sinclair/typebox';
import { count, nullable, oneOf, rate, type ConfigProblem } from '@bowyer/core';
import { environmentKeysOf } from '@bowyer/agent';
import { runKeys } from '../../keys/run-keys.js';
import { listenKeys, listenProblems } from '../listen-keys.js';
import type { TaskUnit } from '../task.js';
import { protocols, transports } from './protocols.js';

const { seed: _, ...keysOfRun } = runKeys; // nothing is drawn

/** Read where clients connect over HTTP. */
const keysOfHttp: TProperties = {
  ...listenKeys,
  max_instances: count('largest number of environments that are open at the same time'),
  idle_minutes: rate('an environment without requests is closed after this time, in minutes'),
};

const keysOfMcp: TProperties = {
  transport: oneOf(
    transports,
    'http: Streamable HTTP; stdio: one client, the program that has started this one, on standard input and output',
  ),
};

const serverKeyEnv: TProperties = {
  server_key_env: nullable(
    Type.String(),
    'environment variable with the key that clients must send; null: no key is required',
  ),
};

export const serveEnvTask: TaskUnit = {
  name: 'serve_env',
  description: 'serve an environment over the protocol of AgentGym, of OpenEnv, or MCP',
  keys: (choices) => {
    const isMcp = choices.setting('task.protocol') === 'mcp';
    const isPipe = isMcp && choices.setting('task.transport') === 'stdio';
    return {
      ...keysOfRun,
      ...environmentKeysOf(choices),
      protocol: oneOf(
        protocols,
        'agentgym: HTTP; openenv: a WebSocket for each session, and HTTP routes; mcp: tools for any MCP client',
      ),
      ...(isMcp && keysOfMcp),
      ...(isMcp && !isPipe && serverKeyEnv),
      ...(!isPipe && keysOfHttp),
    };
  },
  plays: true,
  speaksOnStdout: ({ protocol, transport }) => protocol === 'mcp' && transport === 'stdio',
  problems: (config) => (serveEnvTask.speaksOnStdout!(config) ? pipeProblems(config) : addressProblems(config)),
  load: async () => (await import('./serve-env.js')).serveEnv,
};

const addressProblems = (config: Record<string, unknown>): ConfigProblem[] =>
  listenProblems(config, config.protocol === 'mcp' ? 'server_key_env' : null);

const pipeProblems = ({ json }: Record<string, unknown>): ConfigProblem[] =>
  json === true
    ? [
        {
          key: 'json',
          message: 'json=true writes to standard output, which transport=stdio needs for the protocol',
          remedy: 'leave json out; the log is on standard error and in the run’s folder',
        },
      ]
    : [];
