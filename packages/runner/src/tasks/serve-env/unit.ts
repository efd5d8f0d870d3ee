// Defines the options of task=serve_env, which serves an environment over AgentGym's HTTP protocol, OpenEnv's WebSocket protocol,
// or MCP.
import { choice, integer, positive, unitOptions, oneProblem, type ConfigProblem } from '@bowyer/core';
import { environmentKeysOf } from '../../agent/environment/environment-keys.js';
import { seedlessKeys } from '../../keys/run-keys.js';
import { listenOptions, listenProblems, serverKeyOption } from '../listen-keys.js';
import type { TaskConfig, TaskUnit } from '../task.js';
import { protocols, transports } from './protocols.js';

/** The options of a server to which clients connect over HTTP. */
const optionsOfHttp = {
  ...listenOptions(36_001),
  max_instances: integer(256, 'largest number of environments that are open at the same time'),
  idle_minutes: positive(60, 'time without requests after which an environment is closed, in minutes'),
};

export const serveEnvOptions = unitOptions({
  protocol: choice(
    protocols,
    'agentgym',
    'agentgym: HTTP; openenv: a WebSocket for each session, and HTTP routes; mcp: tools for any MCP client',
  ),
  transport: choice(
    transports,
    'http',
    'http: Streamable HTTP; stdio: standard input and output, for one client, which has started this process',
  ),
  server_key_env: serverKeyOption,
  ...optionsOfHttp,
});

type ServeEnvConfig = TaskConfig<typeof serveEnvOptions> & { json: boolean };

export const serveEnvTask: TaskUnit = {
  name: 'serve_env',
  description: 'serve an environment over the protocol of AgentGym, of OpenEnv, or MCP',
  keys: (choices) => {
    const isMcp = choices.setting('task.protocol') === 'mcp';
    const isPipe = isMcp && choices.setting('task.transport') === 'stdio';
    const { protocol, transport, server_key_env } = serveEnvOptions.properties;
    const own = {
      protocol,
      ...(isMcp && { transport }),
      ...(isMcp && !isPipe && { server_key_env }),
      ...(!isPipe && optionsOfHttp),
    };
    return { ...seedlessKeys, ...environmentKeysOf(choices), task: unitOptions(own) };
  },
  plays: true,
  speaksOnStdout: ({ task: { protocol, transport } }: ServeEnvConfig) => protocol === 'mcp' && transport === 'stdio',
  problems: (config: ServeEnvConfig) =>
    serveEnvTask.speaksOnStdout!(config) ? pipeProblems(config) : addressProblems(config),
  load: async () => (await import('./serve-env.js')).serveEnv,
};

const addressProblems = ({ task }: ServeEnvConfig): ConfigProblem[] =>
  listenProblems(task, task.protocol === 'mcp' ? 'task.server_key_env' : null);

const pipeProblems = ({ json }: ServeEnvConfig): ConfigProblem[] =>
  json
    ? oneProblem(
        'json',
        'json=true writes to standard output, which task.transport=stdio needs for the protocol',
        'leave json out; the log is on standard error and in the run’s folder',
      )
    : [];
