// Servers as targets of damaged requests.
import { serveEnv, serveOpenEnv } from '@bowyer/serving';
import { openEnvFrames } from './frame-target.js';
import { mcpServer } from './mcp-target.js';
import { modelTargets } from './model-targets.js';
import { recordingServer } from './recording-target.js';
import { damageRequest, Faults, LANES, request, send } from './requests.js';
import type { OpenTarget } from './target.js';
import { tinkerTargets } from './tinker-targets.js';
import { upstreamAnswers } from './upstream-target.js';

const served = { name: 'maze', options: {}, host: '127.0.0.1', port: 0, maxInstances: 1000, idleMs: 1000 } as const;

const envServer: OpenTarget = async () => {
  const server = await serveEnv({
    ...served,
    onFault: () => undefined, // errors of the environment, which clients read in the field `error`
  });
  const { pathname } = new URL(`${server.url}/`);
  const at = (name: string) => `${pathname}${name}`;
  return {
    seeds: [
      request('POST', at('create'), {}),
      request('POST', at('reset'), { id: 0, game: 1 }),
      request('POST', at('step'), { id: 0, action: 'move up' }),
      request('GET', at('observation?id=0')),
    ],
    damage: damageRequest,
    lanes: LANES,
    read: (input) => send(server.url, input),
    close: () => server.close(),
  };
};

const openEnvServer: OpenTarget = async () => {
  const faults = new Faults();
  const server = await serveOpenEnv({
    ...served,
    onFault: faults.add,
  });
  return {
    seeds: [
      request('POST', '/reset', { seed: 3, episode_id: 'a' }),
      request('POST', '/reset', {}),
      request('POST', '/mcp', { jsonrpc: '2.0', method: 'tools/list', id: 3 }),
      request('GET', '/schema'),
    ],
    damage: damageRequest,
    lanes: LANES,
    read: (input) => faults.during(send(server.url, input)),
    close: () => server.close(),
  };
};

export const serverTargets: Readonly<Record<string, OpenTarget>> = {
  ...modelTargets,
  'recorded rollouts': recordingServer,
  'answers of another endpoint': upstreamAnswers,
  ...tinkerTargets,
  'serve_env over HTTP': envServer,
  'OpenEnv over HTTP': openEnvServer,
  'OpenEnv over WebSocket': openEnvFrames,
  'MCP over HTTP': mcpServer,
};
