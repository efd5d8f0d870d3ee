// Serves an environment by name, or the members of a mixture, over MCP. Only these functions import the SDK.
import { VERSION } from '@bowyer/core';
import { makeEnv, type EnvName, type EnvParts } from '@bowyer/envs';
import { servedGames } from './games.js';
import type { McpEnvOptions, McpEnvServer, McpHttpOptions, McpPipe, Pipe } from './mcp-env-server.js';
import type { McpListener, McpListenerOptions } from './mcp-listener.js';

export interface ServedEnvOptions extends Pick<McpEnvOptions, 'drawSeed' | 'onFault'> {
  name: EnvName;
  options: Record<string, unknown>;
  parts?: EnvParts;
}

export type ServeMcpEnvOptions = ServedEnvOptions & McpHttpOptions;

async function optionsOf({ name, options, parts, drawSeed, onFault }: ServedEnvOptions): Promise<McpEnvOptions> {
  const make = () => makeEnv(name, options, parts);
  await make().close(); // invalid options are reported now, instead of at the first request
  return { served: servedGames(name, options), makeEnv: make, version: VERSION, drawSeed, onFault };
}

/** Serves over Streamable HTTP. @returns the server once it listens */
export async function serveMcpEnv({
  host,
  port,
  apiKey,
  maxInstances,
  idleMs,
  ...served
}: ServeMcpEnvOptions): Promise<McpEnvServer> {
  const { listenMcpEnv } = await import('./mcp-env-server.js');
  return listenMcpEnv(await optionsOf(served), { host, port, apiKey, maxInstances, idleMs });
}

/** Serves the program at the other end of a pipe, such as one that has started this process. */
export async function serveMcpPipe(served: ServedEnvOptions, pipe: Pipe): Promise<McpPipe> {
  const { pipeMcpEnv } = await import('./mcp-env-server.js');
  return pipeMcpEnv(await optionsOf(served), pipe);
}

/** Serves any server of the SDK over Streamable HTTP, with sessions and the same bounds. */
export async function listenMcp(options: McpListenerOptions): Promise<McpListener> {
  const listeners = await import('./mcp-listener.js');
  return listeners.McpListener.listen(options);
}
