// Keeps instances on AgentGym's servers. Each is created once, used for many episodes, and then closed, or kept for the next
// environment.
import { HttpError } from '../http/http-error.js';
import { HttpServer, type HttpServerOptions } from '../http/http-server.js';

/** The connections and the circuit breaker of one server, which all of its environments share. */
interface SharedServer {
  server: HttpServer;
  users: number;
}

const servers = new Map<string, SharedServer>();

/** Unused instances on servers without /close, by server and family. */
const idle = new Map<string, number[]>();

/** Returns the shared server, and a function to call when this environment no longer needs it. */
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

/** Returns whether the server may have lost the instance, for example by a restart, so that a new instance may help. */
export const mayHaveLostIt = (error: unknown): boolean =>
  error instanceof HttpError &&
  (error.failure === 'refused' || (error.status !== null && [404, 500].includes(error.status)));
