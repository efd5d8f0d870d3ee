// Serves an environment by name, or a mixture's environments, over MCP. The functions import the MCP SDK only when called.
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

/** Starts an MCP server over Streamable HTTP. @returns the server once it listens */
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

/** Serves one client over a pipe, such as the program that has started this process. */
export async function serveMcpPipe(served: ServedEnvOptions, pipe: Pipe): Promise<McpPipe> {
  const { pipeMcpEnv } = await import('./mcp-env-server.js');
  return pipeMcpEnv(await optionsOf(served), pipe);
}

/** Serves any of the SDK's MCP servers over Streamable HTTP, with sessions and the limits of the server of environments. */
export async function listenMcp(options: McpListenerOptions): Promise<McpListener> {
  const listeners = await import('./mcp-listener.js');
  return listeners.McpListener.listen(options);
}
