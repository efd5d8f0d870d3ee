// Any environment over AgentGym's HTTP protocol, so that AgentGym's Python clients and ours can play it.
// Routes: those of AgentGym's servers at 3ef9235. Stops gracefully: requests at hand are answered, environments closed.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wireOf, type Told, type Wire } from './answers.js';
import { InstanceError, InstanceTable, TooManyInstancesError, type InstanceTableOptions } from './instance-table.js';

export interface EnvServerOptions extends InstanceTableOptions {
  /** Whose routes and forms: a family of AgentGym, or anything else for plain ones. */
  name: string;
  host: string;
  /** 0: any free one. */
  port: number;
  /** What GET /filtered_vocab of wordle lists; the words that the answers so far allow. */
  vocabulary?: (told: Told | null) => readonly string[];
  /** Told of faults of an environment, which the client sees as a failed request. */
  onFault?: (error: Error) => void;
}

/** What a handler answers: a status and a body; text is sent as it is, anything else as JSON. */
interface Answer {
  status: number;
  json?: unknown;
  text?: string;
  retryAfterS?: number;
}

const LONGEST_BODY = 2 ** 20;

export class EnvServer {
  readonly instances: InstanceTable;
  readonly #wire: Wire;
  readonly #server: Server;
  readonly #sweep: NodeJS.Timeout;

  private constructor(private readonly options: EnvServerOptions) {
    this.instances = new InstanceTable(options);
    this.#wire = wireOf(options.name);
    this.#server = createServer((request, response) => void this.#respond(request, response));
    this.#sweep = setInterval(() => void this.instances.closeIdle(), Math.max(1000, options.idleMs / 4)).unref();
  }

  /** @returns the server once it listens */
  static async listen(options: EnvServerOptions): Promise<EnvServer> {
    const server = new EnvServer(options);
    server.#server.listen(options.port, options.host);
    await once(server.#server, 'listening');
    return server;
  }

  /** The base URL that a client is given. */
  get url(): string {
    const { address, port, family } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}${this.#wire.path}`;
  }

  /** Takes no further request, answers those at hand, closes every environment. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeIdleConnections();
    await closed;
    await this.instances.closeAll();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, json, text, retryAfterS } = await this.#answer(request).catch((error: unknown) =>
      this.#fault(error),
    );
    response.writeHead(status, {
      'content-type': text === undefined ? 'application/json' : 'text/plain; charset=utf-8',
      ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
      // While the server stops, connections must not be kept.
      ...(!this.#server.listening && { connection: 'close' }),
    });
    response.end(text ?? JSON.stringify(json));
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? '/', 'http://server');
    if (url.pathname === '/') return { status: 200, json: this.#wire.health };
    if (!url.pathname.startsWith(`${this.#wire.path}/`)) return notFound;
    const route = url.pathname.slice(this.#wire.path.length + 1);
    if (request.method === 'POST') return this.#posted(route, fieldsOf(await bodyOf(request)));
    if (request.method === 'GET') return this.#asked(route, Object.fromEntries(url.searchParams));
    return { status: 405, json: { detail: 'Method Not Allowed' } };
  }

  async #posted(route: string, fields: Fields): Promise<Answer> {
    const { idField, itemField, created, begun, stepped, startsAtCreate, closes } = this.#wire;
    switch (route) {
      case 'create': {
        const id = this.instances.create();
        return ok(created(startsAtCreate ? await this.instances.reset(id, id) : unplayed(id)));
      }
      case 'reset': {
        const id = integer(fields, idField);
        return ok(begun(await this.instances.reset(id, integer(fields, itemField))));
      }
      case 'step': {
        if (typeof fields.action !== 'string') throw new FieldError('action');
        return ok(stepped(await this.instances.step(integer(fields, idField), fields.action)));
      }
      case 'close':
        return closes ? ok(await this.instances.close(integer(fields, idField))) : notFound;
      default:
        return notFound;
    }
  }

  async #asked(route: string, query: Fields): Promise<Answer> {
    const { idField, observed } = this.#wire;
    if (route === 'list_envs') return ok(this.instances.ids);
    if (route === 'available_actions' && this.#wire.allActions !== undefined) return ok(this.#wire.allActions);
    const id = integer(query, idField);
    if (route === 'filtered_vocab' && this.options.vocabulary !== undefined) {
      return ok(this.options.vocabulary(await this.instances.told(id).catch(() => null)));
    }
    const told = await this.instances.told(id);
    switch (route) {
      case 'observation':
        return ok(observed(told));
      case 'detail':
        return ok({ observation: told.observation, done: false, reward: told.reward, deleted: false });
      case 'available_actions':
        return ok(this.#wire.actions(told));
      case 'instruction_text':
        return ok(`Instruction: ${String(told.info.instruction ?? '')}`);
      default:
        return notFound;
    }
  }

  /** An environment's own fault is told as AgentGym's servers tell theirs. */
  #fault(error: unknown): Answer {
    if (error instanceof FieldError) {
      const detail = { loc: ['body', error.field], msg: 'field required', type: 'value_error.missing' };
      return { status: 422, json: { detail: [detail] } };
    }
    if (error instanceof TooManyInstancesError) return { status: 503, text: error.message, retryAfterS: 1 };
    const fault = error instanceof Error ? error : new Error(String(error));
    if (!(fault instanceof InstanceError)) this.options.onFault?.(fault);
    if (this.#wire.errors === 'field') return ok({ error: fault.message });
    return { status: 500, text: 'Internal Server Error' };
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** A field that is lacking or of the wrong type. */
class FieldError extends Error {
  constructor(readonly field: string) {
    super(field);
  }
}

const notFound: Answer = { status: 404, json: { detail: 'Not Found' } };
const ok = (json: unknown): Answer => ({ status: 200, json });

const unplayed = (id: number): Told => ({
  id,
  observation: '',
  reward: 0,
  total: 0,
  terminated: false,
  truncated: false,
  info: {},
});

/** Whole numbers, also as text, as pydantic takes them; an item that is null or absent is 0. */
function integer(fields: Fields, field: string): number {
  const value = fields[field] ?? (field === 'data_idx' || field === 'session_id' ? 0 : undefined);
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw new FieldError(field);
  return number;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > LONGEST_BODY) throw new FieldError('body');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function fieldsOf(body: string): Fields {
  if (body === '') return {};
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Fields;
  } catch {
    // told below
  }
  throw new FieldError('body');
}
