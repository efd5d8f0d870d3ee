// Implements task=serve_env: serves an environment over AgentGym's or OpenEnv's protocol, or over MCP, until the user stops it.
import {
  serveEnv as serveAgentGym,
  serveMcpEnv,
  serveMcpPipe,
  serveOpenEnv,
  type ServedEnvOptions,
} from '@bowyer/serving';
import { environmentOptions, type EnvironmentConfig } from '../../agent/environment/environment.js';
import type { TaskContext } from '../../context/task-context.js';
import { keyOf } from '../server-key.js';
import type { TaskConfig } from '../task.js';
import type { serveEnvOptions } from './unit.js';

/** The config of the task. Which options the config node `task` has depends on the protocol and its transport. */
type ServeConfig = EnvironmentConfig & TaskConfig<typeof serveEnvOptions>;

interface Server {
  url: string;
  close(): Promise<void>;
}

/**
 * Returns whether the served environment is a WebShop whose products or goals the config has changed, so that the number of goals
 * differs from AgentGym's.
 */
const hasOwnShop = ({ env }: EnvironmentConfig): boolean =>
  env.name === 'webshop' && ['products', 'numProducts', 'numGoals'].some((key) => (env[key] ?? null) !== null);

const MS_PER_MINUTE = 60_000;

export async function serveEnv(config: ServeConfig, context: TaskContext): Promise<void> {
  const { env } = config;
  const { protocol, transport } = config.task;
  const { print, log, onInterrupt, envParts } = context;
  const stopped = new Promise<void>((resolve) =>
    onInterrupt(resolve, 'the server stops when every request is answered'),
  );
  const served: ServedEnvOptions = {
    name: env.name,
    options: environmentOptions(config),
    parts: envParts,
    onFault: (error) => log(`${env.name}: ${error.stack ?? error.message}`, 'WARNING'),
  };
  if (protocol === 'mcp' && transport === 'stdio') return servePipe(served, stopped, log);
  const server = await listen(config.task, served);
  if (protocol === 'agentgym' && hasOwnShop(config))
    log(
      'webshop: a client of this shop needs env.webshop_upper=NUMBER of its goals; by default it counts AgentGym’s 3930',
    );
  print(`${env.name} is served at ${server.url} (Ctrl-C stops it)\n`);
  await stopped;
  await server.close();
  print('stopped: every request is answered, every environment closed\n');
}

function listen(task: ServeConfig['task'], served: ServedEnvOptions): Promise<Server> {
  const { protocol, host, port, maxInstances, idleMinutes } = task;
  const options = { ...served, host, port, maxInstances, idleMs: idleMinutes * MS_PER_MINUTE };
  if (protocol === 'mcp') return serveMcpEnv({ ...options, apiKey: keyOf(task) });
  return protocol === 'openenv' ? serveOpenEnv(options) : serveAgentGym(options);
}

/** Serves one client over standard input and output (MCP's transport stdio), until the client closes its end. */
async function servePipe(served: ServedEnvOptions, stopped: Promise<void>, log: TaskContext['log']): Promise<void> {
  const pipe = await serveMcpPipe(served, { input: process.stdin, output: process.stdout });
  log(`${served.name} is served on standard input and output`);
  await Promise.race([stopped, pipe.ended]);
  await pipe.close();
}
