// task=serve_env: an environment over AgentGym's or OpenEnv's protocol, until the user stops it.
import { serveEnv as serveAgentGym, serveOpenEnv } from '@bowyer/serving';
import { environmentOptions, type EnvironmentConfig } from '@bowyer/agent';
import type { TaskContext } from '../../context/task-context.js';

type ServeConfig = EnvironmentConfig & {
  host: string;
  port: number;
  protocol: 'agentgym' | 'openenv';
  maxInstances: number;
  idleMinutes: number;
};

/** Whether somebody has chosen the goals of the shop that is served. */
const hasOwnShop = ({ env }: EnvironmentConfig): boolean =>
  env.name === 'webshop' && ['products', 'numProducts', 'numGoals'].some((key) => (env[key] ?? null) !== null);

const MS_PER_MINUTE = 60_000;

export async function serveEnv(config: ServeConfig, { print, log, onInterrupt, envParts }: TaskContext): Promise<void> {
  const { env, host, port, protocol, maxInstances, idleMinutes } = config;
  const stopped = new Promise<void>((resolve) =>
    onInterrupt(resolve, 'the server stops when every request is answered'),
  );
  const listen = protocol === 'openenv' ? serveOpenEnv : serveAgentGym;
  const server = await listen({
    name: env.name,
    options: environmentOptions(config),
    parts: envParts,
    host,
    port,
    maxInstances,
    idleMs: idleMinutes * MS_PER_MINUTE,
    onFault: (error) => log(`${env.name}: ${error.stack ?? error.message}`, 'WARNING'),
  });
  if (protocol === 'agentgym' && hasOwnShop(config))
    log(
      'webshop: a client of this shop needs env.webshop_upper=NUMBER of its goals; by default it counts AgentGym’s 3930',
    );
  print(`${env.name} is served at ${server.url} (Ctrl-C stops it)\n`);
  await stopped;
  await server.close();
  print('stopped: every request is answered, every environment closed\n');
}
