// task=dashboard: runs of a folder in the browser.
import { Type } from '@sinclair/typebox';
import { isLoopback, nullable } from '@bowyer/core';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';
import { listenKeys } from '../listen-keys.js';

/** A game that is played in the page has its own seed. */
const { seed: _, ...withoutSeed } = runKeys;

export const dashboardTask: TaskUnit = {
  name: 'dashboard',
  description: 'show the runs of a folder in the browser, where they can be followed and controlled',
  keys: () => ({
    ...withoutSeed,
    dir: Type.String({ description: 'folder whose runs are shown, at any depth' }),
    host: listenKeys.host,
    port: listenKeys.port,
    allow_remote: Type.Boolean({
      description: 'listen on an address that other machines reach; they need the token as well',
    }),
    token_env: nullable(Type.String(), 'environment variable with the token; null: a random one, shown in the address'),
  }),
  plays: false,
  problems({ host, allowRemote }) {
    if (isLoopback(host as string) || allowRemote === true) return [];
    return [
      {
        key: 'host',
        message: `host=${host as string} lets other machines reach the dashboard, which can stop runs`,
        remedy: 'give allow_remote=true, or host=127.0.0.1 and forward the port: ssh -L 6060:127.0.0.1:6060 HOST',
      },
    ];
  },
  load: async () => (await import('./dashboard.js')).dashboard,
};
