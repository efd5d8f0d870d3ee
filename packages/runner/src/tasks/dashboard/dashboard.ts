// Implements task=dashboard: serves a web page about the runs in a folder, and the data that the page requests, until the user
// stops it.
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { HttpListener } from '@bowyer/serving';
import type { TaskContext } from '../../context/task-context.js';
import type { TaskConfig } from '../task.js';
import type { dashboardOptions } from './unit.js';
import { PlayTable } from './play-table.js';
import { Routes } from './routes.js';
import { RunIndex } from './run-index.js';

type DashboardConfig = TaskConfig<typeof dashboardOptions>;

const TOKEN_BYTES = 24;
const SHORTEST_TOKEN = 16;

export async function dashboard({ task }: DashboardConfig, { print, log, onInterrupt }: TaskContext): Promise<void> {
  const { dir, host, port, tokenEnv } = task;
  const token = tokenOf(tokenEnv);
  const index = await RunIndex.open(resolve(dir));
  const table = new PlayTable();
  const routes = new Routes({ index, table, token, log });
  const stopped = new Promise<void>((stop) => onInterrupt(stop));
  const listener = await HttpListener.listen({
    host,
    port,
    respond: (request, response) => routes.respond(request, response),
    refuse: ({ status, message }) => ({ status, json: { error: message } }),
    onFault: (error) => log(error.stack ?? error.message, 'WARNING'),
  });
  // The access token is in the fragment of the printed URL, which browsers send to no server, so that no log contains it. A token
  // that the user has given in an environment variable is not printed.
  const shown = tokenEnv === null ? token : `$${tokenEnv}`;
  print(`${index.size} runs of ${resolve(dir)}: ${listener.origin}/#token=${shown} (Ctrl-C stops it)\n`);
  await stopped;
  routes.close();
  await listener.close();
  await table.close();
}

function tokenOf(tokenEnv: string | null): string {
  if (tokenEnv === null) return randomBytes(TOKEN_BYTES).toString('base64url');
  const token = process.env[tokenEnv] ?? '';
  if (token.length >= SHORTEST_TOKEN) return token;
  throw new Error(
    `task.token_env: the environment variable ${tokenEnv} ${token === '' ? 'is not set' : `has fewer than ${SHORTEST_TOKEN} characters`}\n` +
      '  set it to a long random text, or write task.token_env=null for a new one at each start',
  );
}
