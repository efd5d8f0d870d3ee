// Answers the HTTP requests of a model server: it finds the protocol of a request by its route, checks the API key, and reports
// errors in the protocol's form. When it stops, it finishes the answers in progress.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { givenKeys, keyProblem, sameText } from '../http/api-key.js';
import { HttpListener, pathOf, whenClientLeaves, type HttpAnswer } from '../http/http-listener.js';
import { readJson } from '../http/json-text.js';
import { readBytes, type KeepBody } from '../http/request-body.js';
import type { Refusal } from '../http/request-guard.js';
import type { CallObserver } from '../protocols/call-observer.js';
import type { Exchange, Fault, Protocol } from '../protocols/protocol.js';
import { faultOf, isServerFault } from './fault.js';
import { RouteTable } from './route-table.js';

export interface ProtocolServerOptions {
  protocols: readonly Protocol[];
  host: string;
  /** The port; 0 for any free one. */
  port: number;
  /** The key that clients must send as a bearer token or as `x-api-key`; null for none. */
  apiKey: string | null;
  /** Fields of the answer to `GET /health` other than the status. */
  health: () => object;
  /** Observes model calls, such as a recorder. It knows a request's rollout, and the API keys that it created for rollouts. */
  observer?: CallObserver;
  /** Receives errors of the server, which the client sees as status 500. */
  onFault?: (error: Error) => void;
}

const LONGEST_BODY = 8 * 2 ** 20;

type Place = NonNullable<ReturnType<RouteTable['find']>> & Pick<Exchange, 'path' | 'rollout'>;

export class ProtocolServer {
  #listener!: HttpListener;
  readonly #routes: RouteTable;

  private constructor(private readonly options: ProtocolServerOptions) {
    this.#routes = new RouteTable(options.protocols);
  }

  static async listen(options: ProtocolServerOptions): Promise<ProtocolServer> {
    const server = new ProtocolServer(options);
    const { host, port, onFault } = options;
    const respond = (request: IncomingMessage, response: ServerResponse) => server.#respond(request, response);
    const refuse = (refusal: Refusal) => server.#refused(refusal);
    server.#listener = await HttpListener.listen({ host, port, respond, refuse, onFault });
    return server;
  }

  /** Returns the base URL for clients, which ends with the API's version. */
  get url(): string {
    return `${this.#listener.origin}/v1`;
  }

  /** Stops the server: it accepts no further request, and finishes the answers in progress. */
  close(): Promise<void> {
    return this.#listener.close();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = pathOf(request).path;
    const { path, rollout } = this.options.observer?.placeOf(request, asked) ?? { path: asked, rollout: null };
    if (`${request.method} ${path}` === 'GET /health')
      return this.#listener.send(request, response, { status: 200, json: { status: 'ok', ...this.options.health() } });
    const found = this.#routes.find(request.method ?? '', path);
    const protocol = this.#spoken(found, request);
    for (const [name, value] of Object.entries(protocol.headers?.() ?? {})) response.setHeader(name, value!);
    try {
      const place = found && { ...found, path: asked, rollout };
      const answer = await this.#answer(place, protocol, request, response);
      if (answer !== null) await this.#listener.sendInSteps(request, response, answer);
    } catch (error) {
      // An error is not reported to a client that has disconnected before its request was complete.
      if ((request.destroyed && !request.complete) || response.destroyed) return;
      const fault = this.#faultOf(error);
      if (!response.headersSent) this.#listener.send(request, response, faultAnswer(fault, protocol));
      else response.destroy();
    }
  }

  /** The protocol that reports a request's errors: the route's, or for routes of several the one that the headers show. */
  #spoken(found: ReturnType<RouteTable['find']>, { headers }: IncomingMessage): Protocol {
    if (found && !found.protocol.isShared) return found.protocol;
    const { protocols } = this.options;
    return (headers['anthropic-version'] !== undefined && protocols.find(({ headers: own }) => own)) || protocols[0];
  }

  /** Returns null if the answer was already sent as a stream, or the client has disconnected. */
  async #answer(
    found: Place | null,
    protocol: Protocol,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<HttpAnswer | null> {
    const refusal = unauthorized(request, found, this.options);
    if (refusal !== null) return faultAnswer(refusal, protocol);
    if (found === null) return faultAnswer(unknownRoute(request), protocol);
    const bodies: (() => void)[] = [];
    const gone = new AbortController();
    const stopWatching = whenClientLeaves(request, () => gone.abort());
    try {
      return await found.route.respond(
        this.#exchange(found, request, response, gone.signal, (release) => bodies.push(release)),
      );
    } catch (error) {
      if (gone.signal.aborted) return null; // the client has disconnected
      throw error;
    } finally {
      stopWatching();
      for (const release of bodies) release();
    }
  }

  #exchange(
    { parameters, path, rollout }: Place,
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
    keep: KeepBody,
  ): Exchange {
    const { observer } = this.options;
    let sent: unknown;
    const body = async () => {
      const read = await readJson(request, LONGEST_BODY, keep);
      const shown = observer?.bodyOf?.(rollout, read) ?? read;
      if (observer) sent = shown; // only observers read it
      return shown;
    };
    const connection: OutgoingHttpHeaders = this.#listener.isListening ? {} : { connection: 'close' };
    const { query } = pathOf(request);
    const faultOf = (error: unknown) => this.#faultOf(error);
    const bytes = (longest: number) => readBytes(request, longest, (content) => content, keep);
    const read = { body, bytes, sent: () => sent };
    return { request, response, path, rollout, parameters, query, ...read, signal, connection, faultOf };
  }

  #faultOf(error: unknown): Fault {
    const fault = faultOf(error);
    if (isServerFault(fault)) this.options.onFault?.(error instanceof Error ? error : new Error(String(error)));
    return fault;
  }

  #refused({ status, message }: Refusal): HttpAnswer & { json: object } {
    return {
      status,
      json: this.options.protocols[0].errorBody({ kind: 'invalid', status, message, param: null, code: null }),
    };
  }
}

const faultAnswer = (fault: Fault, { errorBody }: Protocol): HttpAnswer => ({
  status: fault.status,
  json: errorBody(fault),
  ...(fault.retryAfterS !== undefined && { retryAfterS: fault.retryAfterS }),
});

function unknownRoute(request: IncomingMessage): Fault {
  const message = `Unknown request: ${request.method} ${pathOf(request).path}`;
  return { kind: 'not found', status: 404, message, param: null, code: null };
}

/**
 * Checks the API key of a request. The server's own key is valid for all routes. A rollout's key, which an observer has created
 * for the agent of one rollout, is valid for requests of that rollout only, and is checked even if the server requires no key.
 *
 * @param place the route and rollout of the request; null for an unknown route
 * @returns null for authorized clients
 */
function unauthorized(
  request: IncomingMessage,
  place: Place | null,
  { apiKey, observer }: Pick<ProtocolServerOptions, 'apiKey' | 'observer'>,
): Fault | null {
  const keys = givenKeys(request.headers);
  if (apiKey !== null && keys.some((key) => sameText(key, apiKey))) return null;
  const rollouts = keys.flatMap((key) => observer?.rolloutOfKey(key) ?? []);
  if (rollouts.length > 0) return place === null ? null : forbidden(rollouts, place);
  const message = apiKey === null ? null : keyProblem(request, () => false);
  return message === null ? null : { kind: 'unauthorized', status: 401, message, param: null, code: null };
}

/**
 * @param rollouts the rollouts to which the request's keys belong
 * @returns null if one of them is the rollout that the request addresses
 */
function forbidden(rollouts: readonly string[], { rollout, route }: Place): Fault | null {
  if (route.isOperators !== true && rollout !== null && rollouts.includes(rollout)) return null;
  const reason = route.isOperators === true ? 'this request needs the key of the server' : 'the request is for another';
  const message = `the key of the rollout '${rollouts[0]}' opens that rollout alone: ${reason}`;
  return { kind: 'forbidden', status: 403, message, param: null, code: null };
}
