// Serves an environment by name over OpenEnv's protocol.
import { contextOffer, environmentInfo, itemKey, makeEnv, type EnvName, type EnvParts } from '@bowyer/envs';
import { OpenEnvServer, type OpenEnvServerOptions } from './open-env-server.js';

export interface ServeOpenEnvOptions extends Pick<
  OpenEnvServerOptions,
  'host' | 'port' | 'maxInstances' | 'idleMs' | 'onFault'
> {
  name: EnvName;
  options: Record<string, unknown>;
  parts?: EnvParts;
}

/** Starts a server of an environment, and returns it once it listens. */
export async function serveOpenEnv({ name, options, parts, ...limits }: ServeOpenEnvOptions): Promise<OpenEnvServer> {
  const key = itemKey(name);
  const make = () => makeEnv(name, options, parts);
  await make().close(); // invalid options are reported now, instead of at the first request
  return OpenEnvServer.listen({
    ...limits,
    name,
    description: environmentInfo(name).description,
    isHistory: contextOffer(name, options).observation === 'history',
    makeEnv: make,
    resetOptions: ({ seed, item }) => ({ ...(seed !== null && { seed }), ...(item !== null && { [key]: item }) }),
  });
}
