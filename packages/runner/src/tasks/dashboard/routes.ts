// Answers the HTTP requests of the dashboard's page. The listener has already refused requests of other origins and hosts; the
// access token is checked here, for GET requests too.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyError, excerpt, faultMessage, pathOf, readJson } from '@bowyer/serving';
import { shellPage } from '@bowyer/views';
import { controlActions, requestControl, type ControlAction } from '../../run/run-control.js';
import { readRun } from '../../report/run-data.js';
import type { TaskContext } from '../../context/task-context.js';
import { readEpisode, searchEpisodes } from './episode-search.js';
import type { PlayTable } from './play-table.js';
import { Refused } from './refused.js';
import type { RunIndex } from './run-index.js';

const LONGEST_BODY = 64 * 1024;
const EVENTS_MS = 2000;

interface RoutesOptions {
  index: RunIndex;
  table: PlayTable;
  token: string;
  log: TaskContext['log'];
}

type Body = Readonly<Record<string, unknown>>;
type Answer = (query: URLSearchParams, body: Body) => Promise<unknown>;

export class Routes {
  readonly #timers = new Map<ServerResponse, NodeJS.Timeout>();

  constructor(private readonly options: RoutesOptions) {}

  readonly #answers: Readonly<Record<string, Answer>> = {
    'GET /api/runs': () => this.options.index.list(),
    'GET /api/run': async (query) => readRun(this.#directory(query.get('id'))),
    'GET /api/episodes': async (query) => searchEpisodes(this.#directory(query.get('id')), query.get('text') ?? ''),
    'GET /api/episode': async (query) => readEpisode(this.#directory(query.get('id')), query.get('episode') ?? ''),
    'POST /api/control': async (_, { id, action }) => this.#control(id, action),
    'POST /api/play': async (_, { id, seed }) => this.options.table.open(this.#directory(id), seedOf(seed)),
    'POST /api/play/step': (_, { game, action }) => this.options.table.step(game, actionOf(action)),
  };

  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, query } = pathOf(request);
    try {
      if (path === '/' && request.method === 'GET')
        return send(response, 200, 'text/html', await shellPage('Bowyer', 'dashboard'));
      const answer = this.#answers[`${request.method} ${path}`];
      if (answer === undefined && path !== '/api/events')
        throw new Refused(404, `${request.method} ${path} is not known`);
      if (!this.#isTrusted(request))
        throw new Refused(401, 'the token is missing or wrong: open the address that the command printed');
      if (answer === undefined) return this.#events(response);
      const body = request.method === 'POST' ? await bodyOf(request) : {};
      send(response, 200, 'application/json', JSON.stringify(await answer(query, body)));
    } catch (error) {
      request.resume();
      const isRefused = error instanceof Refused || error instanceof BodyError;
      if (!isRefused) this.#report(`${request.method} ${path}`, error as Error);
      const message = JSON.stringify({ error: faultMessage(error) });
      send(response, isRefused ? error.status : 500, 'application/json', message, !request.complete);
    }
  }

  #report(route: string, { stack, message }: Error): void {
    this.options.log(`${route}: ${stack ?? message}`, 'WARNING');
  }

  /** Ends the event streams to open pages, since the HTTP listener would otherwise wait for them before it closes. */
  close(): void {
    for (const [response, timer] of this.#timers) {
      clearInterval(timer);
      response.end();
    }
  }

  #isTrusted({ headers }: IncomingMessage): boolean {
    const hash = (text: string) => createHash('sha256').update(text).digest();
    return timingSafeEqual(hash(headers.authorization ?? ''), hash(`Bearer ${this.options.token}`));
  }

  #directory(id: unknown): string {
    const directory = typeof id === 'string' ? this.options.index.directoryOf(id) : null;
    if (directory === null) throw new Refused(404, `no run '${excerpt(String(id))}' is in this folder`);
    return directory;
  }

  async #control(id: unknown, action: unknown): Promise<object> {
    const directory = this.#directory(id);
    if (!controlActions.includes(action as ControlAction))
      throw new Refused(400, `a run takes no request '${excerpt(String(action))}'`);
    await requestControl(directory, action as ControlAction).catch((error: Error) => {
      throw new Refused(409, error.message);
    });
    this.options.log(`${String(action)}: ${directory}`);
    return { asked: action };
  }

  /** Sends the list of runs as a server-sent event whenever it has changed. */
  #events(response: ServerResponse): void {
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
    let last = '';
    const look = async () => {
      if (response.writableLength > LONGEST_BODY) return; // the client reads slowly: it gets a newer list once it is ready
      const runs = JSON.stringify(await this.options.index.list());
      if (runs !== last && !response.writableEnded) response.write(`event: runs\ndata: ${(last = runs)}\n\n`);
    };
    const timer = setInterval(() => void look().catch(() => undefined), EVENTS_MS);
    this.#timers.set(response, timer);
    response.once('close', () => {
      clearInterval(timer);
      this.#timers.delete(response);
    });
    void look().catch(() => undefined);
  }
}

/** Allow the page's inline script and style, and forbid other pages to show the page in a frame. */
const headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const body = await readJson(request, LONGEST_BODY);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Body;
  throw new Refused(400, 'the body must be a JSON object');
}

function seedOf(seed: unknown): number {
  if (typeof seed === 'number' && Number.isSafeInteger(seed) && seed >= 0) return seed;
  throw new Refused(400, 'seed must be an integer of 0 or more');
}

/** Null means that the policy chooses the action. */
function actionOf(action: unknown): string | null {
  if (action === null || action === undefined || typeof action === 'string') return action ?? null;
  throw new Refused(400, 'action must be a text, or null to let the policy act');
}

function send(response: ServerResponse, status: number, type: string, text: string, isLast = false): void {
  const connection = isLast && { connection: 'close' };
  response.writeHead(status, { ...headers, ...connection, 'content-type': `${type}; charset=utf-8` });
  response.end(text);
}
