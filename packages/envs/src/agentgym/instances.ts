// Instances on AgentGym's servers: each is made once, used for many episodes, and given back or kept for the next environment.
import { HttpError } from '../http/http-error.js';
import { HttpServer, type HttpServerOptions } from '../http/http-server.js';

/** All environments of one server share its connections and its circuit breaker. */
interface SharedServer {
  server: HttpServer;
  users: number;
}

const servers = new Map<string, SharedServer>();

/** Instances of closed environments on servers that take none back; by server and family. */
const idle = new Map<string, number[]>();

/** Returns the server, and what to call when it is needed no longer. */
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

/** Returns whether a server may have lost the instance, as after a restart, so that another one is worth a try. */
export const mayHaveLostIt = (error: unknown): boolean =>
  error instanceof HttpError &&
  (error.failure === 'refused' || (error.status !== null && [404, 500].includes(error.status)));
