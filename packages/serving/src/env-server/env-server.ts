// Serves any environment over AgentGym's HTTP protocol, for AgentGym's Python clients and ours. The routes are those of
// AgentGym's servers at commit 3ef9235. A server that stops answers the requests in progress and closes all environments.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { faultMessage } from '../http/excerpt.js';
import { HttpListener, pathOf, type HttpAnswer } from '../http/http-listener.js';
import { parseJson } from '../http/json-text.js';
import { BodyError, readBody } from '../http/request-body.js';
import type { Refusal } from '../http/request-guard.js';
import { notFound, ok, serverError, wireOf, type InstanceState, type Wire } from './answers.js';
import {
  InstanceError,
  InstanceTable,
  TooManyInstancesError,
  initialState,
  type InstanceTableOptions,
} from './instance-table.js';

export interface EnvServerOptions extends Omit<InstanceTableOptions, 'continuesAfterEnd'> {
  /** The name of an AgentGym family, which determines routes and answers; those of a generic family for any other name. */
  name: string;
  host: string;
  /** The port; 0 for any free one. */
  port: number;
  /** Returns the words that GET /filtered_vocab of wordle's server lists: those that the answers to the guesses so far allow. */
  vocabulary?: (state: InstanceState | null) => readonly string[];
  /** Receives errors thrown by an environment, which the client sees as a failed request. */
  onFault?: (error: Error) => void;
}

const LONGEST_BODY = 2 ** 20;

export class EnvServer {
  readonly instances: InstanceTable;
  readonly #wire: Wire;
  readonly #sweep: NodeJS.Timeout;
  #listener!: HttpListener;

  private constructor(private readonly options: EnvServerOptions) {
    this.#wire = wireOf(options.name);
    this.instances = new InstanceTable({ ...options, continuesAfterEnd: this.#wire.continuesAfterEnd });
    this.#sweep = setInterval(() => void this.instances.closeIdle(), Math.max(1000, options.idleMs / 4)).unref();
  }

  static async listen(options: EnvServerOptions): Promise<EnvServer> {
    const server = new EnvServer(options);
    const respond = (request: IncomingMessage, response: ServerResponse) => server.#respond(request, response);
    const refuse = ({ status, message }: Refusal) => ({ status, json: { detail: message } });
    try {
      const { host, port, onFault } = options;
      server.#listener = await HttpListener.listen({ host, port, respond, refuse, onFault });
    } catch (error) {
      clearInterval(server.#sweep);
      throw error;
    }
    return server;
  }

  /** Returns the base URL for clients. */
  get url(): string {
    return `${this.#listener.origin}${this.#wire.path}`;
  }

  /** Stops the server: it accepts no further request, answers those in progress, and closes every environment. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await this.#listener.close();
    await this.instances.closeAll();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(request).catch((error: unknown) => this.#fault(error));
    await this.#listener.sendInSteps(request, response, answer);
  }

  async #answer(request: IncomingMessage): Promise<HttpAnswer> {
    const { path, query } = pathOf(request);
    if (path === '/') return { status: 200, json: this.#wire.health };
    if (!path.startsWith(`${this.#wire.path}/`)) return notFound;
    const route = path.slice(this.#wire.path.length + 1);
    if (request.method === 'POST') return readBody(request, LONGEST_BODY, (body) => this.#posted(route, body));
    if (request.method === 'GET') return this.#asked(route, Object.fromEntries(query));
    return { status: 405, json: { detail: 'Method Not Allowed' } };
  }

  async #posted(route: string, body: string): Promise<HttpAnswer> {
    const { idField, created, begun, stepped, startsAtCreate, closes, createNeedsBody } = this.#wire;
    if (route === 'create') {
      if (createNeedsBody) await fieldsOf(body); // other families ignore the body
      const id = this.instances.create();
      return ok(created(startsAtCreate ? await this.instances.reset(id, id) : initialState(id)));
    }
    if (route === 'close' && !closes) return notFound;
    if (!['reset', 'step', 'close'].includes(route)) return notFound;
    const fields = await fieldsOf(body);
    const id = integer(fields, idField);
    if (route === 'close') return ok(await this.instances.close(id));
    if (route === 'step') {
      if (typeof fields.action !== 'string') throw new FieldError('action');
      return ok(stepped(await this.instances.step(id, fields.action)));
    }
    this.#checkWorldType(fields);
    return ok(begun(await this.instances.reset(id, this.#item(fields))));
  }

  /** Returns the number of the problem that a reset requests; null where the client does not choose one. */
  #item(fields: Fields): number | null {
    const { itemField, noItem } = this.#wire;
    const value = fields[itemField];
    if (noItem === 'any' && (value === undefined || value === null)) return null;
    if (noItem === 'first' && value === undefined) return 0;
    if (noItem === 'first' && value === null) throw new InstanceError(`${itemField} is null; it must be a number`);
    return integer(fields, itemField);
  }

  #checkWorldType({ world_type: type }: Fields): void {
    if (!this.#wire.asksWorldType) return;
    if (typeof type !== 'string') throw new FieldError('world_type');
    if (type !== 'Text') throw new InstanceError(`world_type is '${type}'; this server supports Text only`);
  }

  async #asked(route: string, query: Fields): Promise<HttpAnswer> {
    const { idField, forms, fixed } = this.#wire;
    if (route === 'list_envs') return ok(this.instances.ids);
    if (Object.hasOwn(fixed, route)) return fixed[route];
    const hasVocabulary = route === 'filtered_vocab' && this.options.vocabulary !== undefined;
    if (!hasVocabulary && !Object.hasOwn(forms, route)) return notFound;
    const id = integer(query, idField);
    if (hasVocabulary) return ok(this.options.vocabulary!(await this.instances.state(id).catch(() => null)));
    if (route === 'observation' && this.#wire.unplayedText !== undefined && !this.instances.wasReset(id)) {
      return ok(forms.observation({ ...initialState(id), observation: this.#wire.unplayedText }));
    }
    return ok(forms[route](await this.instances.state(id)));
  }

  /** Writes the answer for an error thrown by an environment, in the form of AgentGym's servers. */
  #fault(error: unknown): HttpAnswer {
    if (error instanceof FieldError) {
      const loc = error.field === null ? ['body'] : ['body', error.field];
      const detail = { loc, msg: 'field required', type: 'value_error.missing' };
      return { status: 422, json: { detail: [detail] } };
    }
    if (error instanceof BodyError) return { status: error.status, json: { detail: error.message } };
    if (error instanceof TooManyInstancesError) return { status: 503, text: error.message, retryAfterS: 1 };
    const fault = error instanceof Error ? error : new Error(String(error));
    if (!(fault instanceof InstanceError)) this.options.onFault?.(fault);
    if (this.#wire.errors === 'field') return ok({ error: faultMessage(fault) });
    return serverError;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** The error for a field that is missing or of the wrong type. */
class FieldError extends Error {
  /** @param field null if the whole body is missing or wrong */
  constructor(readonly field: string | null) {
    super(field ?? 'body');
  }
}

/** Reads an integer, also from a string, as pydantic does. @throws {FieldError} */
function integer(fields: Fields, field: string): number {
  const value = fields[field];
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw new FieldError(field);
  return number;
}

async function fieldsOf(body: string): Promise<Fields> {
  const parsed = await parseJson(body).catch((error: BodyError) => {
    throw error.reason === 'not JSON' ? new FieldError(null) : error;
  });
  if (typeof parsed === 'object' && parsed !== null) return parsed as Fields;
  throw new FieldError(null);
}
