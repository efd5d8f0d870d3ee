// Keeps the environment instances that this process created on AgentGym's servers. An instance serves many episodes; afterwards
// it is closed, or kept for another environment object if the server has no /close.
import { HttpError } from '../http/http-error.js';
import { HttpServer, type HttpServerOptions } from '../http/http-server.js';

interface SharedServer {
  server: HttpServer;
  users: number;
}

const servers = new Map<string, SharedServer>();

/** The ids of unused instances on servers without /close, by the server's address and the environment's name. */
const idle = new Map<string, number[]>();

/** Returns the HTTP client that all users of this address share, and a function to call when it is no longer needed. */
export function openServer(
  baseUrl: string,
  options: Partial<HttpServerOptions>,
): { server: HttpServer; leave: () => Promise<void> } {
  const key = JSON.stringify([baseUrl, options]);
  const shared = servers.get(key) ?? { server: new HttpServer(baseUrl, options), users: 0 };
  servers.set(key, shared);
  shared.users++;
  const leave = async () => {
    if (--shared.users > 0) return;
    servers.delete(key);
    await shared.server.close();
  };
  return { server: shared.server, leave };
}

export const takeIdle = (place: string): number | undefined => idle.get(place)?.pop();

export function keepIdle(place: string, id: number): void {
  idle.set(place, [...(idle.get(place) ?? []), id]);
}

/** Returns whether the server may have lost the instance, for example by a restart, so that a new one may help. */
export const mayHaveLostIt = (error: unknown): boolean =>
  error instanceof HttpError &&
  (error.failure === 'refused' || (error.status !== null && [404, 500].includes(error.status)));
