// Plays an environment on an AgentGym HTTP server as a client. The table in families.ts has the differences of the servers.
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { defaultsOf } from '../option.js';
import { HttpError } from '../http/http-error.js';
import { RefusedAnswer, type HttpServer } from '../http/http-server.js';
import { familyOf, type ActionFormat, type AgentGymFamily, type Family } from './families.js';
import { invalidAction, parseCodeAction, parseFunctionCall } from './function-replies.js';
import { keepIdle, mayHaveLostIt, openServer, takeIdle } from './instances.js';
import { agentGymSchema, type AgentGymOptions } from './options.js';
import { ownOpening, recordedOpening, type Opening } from './opening.js';
import { withoutEndMarker, type ParsedReply } from './reply-rules.js';

interface AgentGymInfo {
  item: number;
  /** The total reward of the episode as AgentGym counts it, if the episode ended after this step. */
  worth: number;
  won: boolean;
  /** The thought that the agent's reply contains beside the action; empty if the reply has none. */
  thought?: string;
  /** The action that was sent to the server; null if the reply contained no valid action, so that nothing was sent. */
  sent?: string | null;
  validActions?: string[];
}

interface AgentGymReset {
  seed?: number;
  /** The number of the problem in the server's dataset; if it is absent, the seed draws one. */
  dataIdx?: number;
}

/** The server's answer to /reset, /step or /observation, in one form for all servers. */
interface ServerState {
  text: string;
  fields: Readonly<Record<string, unknown>>;
}

/** The timeout of /close in milliseconds. It is long, since some servers restart a game while they answer /close. */
const CLOSE_MS = 30_000;

export class AgentGymEnv implements Env {
  readonly #family: Family;
  readonly #order: EpisodeOrder;
  readonly #baseUrl: string;
  #open: ReturnType<typeof openServer> | null = null;
  #opening: Promise<Opening> | null = null;
  #id: number | null = null;
  /** Whether a request was interrupted, so that the server may still be working on this environment instance. */
  #isUncertain = false;
  /** The promise of the last request. The next one waits for it: the server handles one request of an instance at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #rng = new Rng(0);
  #item = 0;
  #rounds = 0;
  #worth = 0;
  /** The current observation as AgentGym's own client keeps it. It is repeated after a reply without a valid action. */
  #observed = '';

  constructor(
    readonly name: AgentGymFamily,
    readonly options: AgentGymOptions,
  ) {
    this.#family = familyOf(name);
    this.#order = new EpisodeOrder(name);
    this.#baseUrl = serverAddress(name, options.baseUrl);
    const { actionFormat } = options;
    if (isFunctionFormat(actionFormat) && this.#family.functions === undefined) {
      throw new RangeError(`${name}: the action format ${actionFormat} exists for webshop, alfworld and sciworld only`);
    }
  }

  reset({ seed, dataIdx }: AgentGymReset = {}): Promise<
    ResetResult & { info: AgentGymInfo & Record<string, unknown> }
  > {
    return this.#inTurn(async () => {
      this.#order.begin();
      this.#order.end(); // No step is allowed until the server has answered.
      if (seed !== undefined) this.#rng = Rng.forPurpose(seed, `items of ${this.name}`);
      this.#item = dataIdx ?? this.#drawItem();
      [this.#rounds, this.#worth] = [0, 0];
      const { text, fields } = await this.#resetInstance();
      this.#observed = this.#family.observed?.(fields) ?? text;
      this.#worth = this.#worthAtStart(fields);
      const observation = await this.#firstObservation(this.#observed);
      this.#order.begin();
      return { observation, info: { ...this.#info(fields) } };
    });
  }

  step(action: string): Promise<StepResult> {
    return this.#inTurn(async () => {
      this.#order.assertRunning();
      const parsed = this.#parse(action);
      this.#rounds++;
      if ('refusal' in parsed) return this.#refused(parsed.refusal);
      const state = await this.#post('/step', { action: parsed.action }, false, this.#readStep);
      const { text, fields } = state;
      this.#observed = this.#family.observed?.(fields) ?? text;
      const before = this.#worth;
      const isOver = fields.done === true || fields.terminated === true;
      this.#worth = Number(fields[this.#family.worth.field]); // tool servers may give a boolean
      const reward = this.#family.worth.isTotal ? this.#worth - before : this.#worth;
      const said = { thought: parsed.thought, sent: parsed.action };
      return this.#stepResult(
        text,
        reward,
        { isOver, isCut: fields.truncated === true },
        { ...this.#info(fields), ...said },
      );
    });
  }

  /** Returns the instructions and the scripted reply that precede the first observation, as messages. */
  async opening(): Promise<{ role: 'user' | 'assistant'; content: string }[]> {
    const { instructions, reply } = await this.#inTurn(() => this.#openingOnce());
    return [
      { role: 'user', content: instructions },
      { role: 'assistant', content: reply },
    ];
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      this.#order.close();
      await this.#release();
      await this.#open?.leave();
      this.#open = null;
    });
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => {});
    return result;
  }

  #drawItem(): number {
    const { firstItem, items } = this.options;
    return firstItem + this.#rng.integer(0, (items ?? this.#family.items) - 1);
  }

  get #server(): HttpServer {
    const { timeoutMs, connections } = this.options;
    this.#open ??= openServer(this.#baseUrl, { answerTimeoutMs: timeoutMs, connections });
    return this.#open.server;
  }

  get #place(): string {
    return `${this.name} ${this.#baseUrl}`;
  }

  /** Resets the instance on the server. If the server has lost it since an earlier episode, a new one is created. */
  async #resetInstance(): Promise<ServerState> {
    if (this.#isUncertain) await this.#release();
    this.#id ??= takeIdle(this.#place) ?? null;
    const isOld = this.#id !== null;
    this.#id ??= await this.#create();
    try {
      return await this.#start();
    } catch (error) {
      if (!isOld || !mayHaveLostIt(error)) throw error;
      await this.#release();
      this.#id = await this.#create();
      return this.#start();
    }
  }

  async #start(): Promise<ServerState> {
    const { itemField, resetBody, asksForStart } = this.#family;
    const state = await this.#post('/reset', { ...resetBody, [itemField]: this.#item }, true, readState).catch(
      (error: unknown) => {
        throw this.#missingItem(error);
      },
    );
    if (!asksForStart) return state;
    const asked = await this.#server.request({
      method: 'GET',
      path: `/observation?${this.#family.idField}=${this.#id}`,
      read: (body) => readState(body),
    });
    return { text: asked.text, fields: state.fields };
  }

  /** Adds a hint to HTTP status 500 of webshop: a server with fewer shopping goals than AgentGym's may lack the requested one. */
  #missingItem(error: unknown): unknown {
    if (this.name !== 'webshop' || !(error instanceof HttpError) || error.status !== 500) return error;
    const { detail } = error;
    const hint = `; if the server has no goal ${this.#item}, give env.webshop_upper=NUMBER of its goals`;
    return new HttpError({ ...error, detail: detail + hint, cause: error.cause });
  }

  /** Returns the total reward after a reset. It may be above 0, since ScienceWorld's initial state can fulfil some subgoals. */
  #worthAtStart({ [this.#family.worth.field]: start }: Readonly<Record<string, unknown>>): number {
    return this.#family.worth.isTotal && typeof start === 'number' ? start : 0;
  }

  /** Reads the answer to /step. @throws {TypeError} for an answer without a reward or without `done` or `terminated` */
  readonly #readStep = (body: unknown): ServerState => {
    const state = readState(body);
    const { [this.#family.worth.field]: worth, done, terminated } = state.fields;
    if (typeof worth !== 'number' && typeof worth !== 'boolean') return refuse(body);
    return typeof (done ?? terminated) === 'boolean' ? state : refuse(body);
  };

  async #create(): Promise<number> {
    return this.#server.request({ method: 'POST', path: '/create', json: this.#family.createBody, read: readId });
  }

  async #post(
    path: string,
    body: object,
    idempotent: boolean,
    read: (body: unknown) => ServerState,
  ): Promise<ServerState> {
    this.#isUncertain = true;
    try {
      const json = { ...body, [this.#family.idField]: this.#id };
      const state = await this.#server.request({ method: 'POST', path, json, idempotent, read });
      this.#isUncertain = false;
      return state;
    } catch (error) {
      if (error instanceof HttpError && error.failure !== 'interrupted') this.#isUncertain = false;
      throw error;
    }
  }

  /** Closes the instance, or keeps it for a later environment if the server has no /close. A failure is ignored. */
  async #release(): Promise<void> {
    const id = this.#id;
    this.#id = null;
    if (id === null) return;
    if (!this.#family.closes) {
      if (!this.#isUncertain) keepIdle(this.#place, id);
      return;
    }
    const request = { method: 'POST', path: '/close', json: { [this.#family.idField]: id }, idempotent: true } as const;
    const signal = AbortSignal.timeout(CLOSE_MS);
    await this.#server.request({ ...request, read: () => undefined, signal }).catch(() => {});
  }

  #openingOnce(): Promise<Opening> {
    const { dataset, actionFormat } = this.options;
    const opening =
      this.#opening ??
      (dataset === null
        ? this.#vocabulary().then((words) => ownOpening(this.name, actionFormat, words))
        : recordedOpening(dataset, this.name));
    this.#opening = opening;
    opening.catch(() => (this.#opening = null)); // after a failure, the next reset requests it again
    return opening;
  }

  /** Requests Wordle's vocabulary before the first guess, since afterwards the server's answer would reveal the secret word. */
  async #vocabulary(): Promise<string[] | null> {
    const { vocabularyPath, idField } = this.#family;
    if (vocabularyPath === undefined) return null;
    this.#id ??= await this.#create();
    return this.#server.request({
      method: 'GET',
      path: `${vocabularyPath}?${idField}=${this.#id}`,
      read: (body) => (Array.isArray(body) ? body.map(String) : refuse(body)),
    });
  }

  async #firstObservation(start: string): Promise<string> {
    // Even if the opening is not shown, Wordle's vocabulary must be requested before the first guess.
    const opening = await this.#openingOnce();
    if (!this.options.instructions) return start;
    return `${opening.instructions}\n\n${opening.start(start)}`;
  }

  #parse(reply: string): ParsedReply {
    const { actionFormat, upstreamEndCut } = this.options;
    if (actionFormat === 'plain') return { thought: '', action: reply };
    const text = withoutEndMarker(reply, { upstreamEndCut });
    const { functions, rule } = this.#family;
    if (actionFormat === 'react') return rule(text);
    return actionFormat === 'function_calling'
      ? parseFunctionCall(text, functions!)
      : parseCodeAction(text, functions!);
  }

  /** Returns the step result for a reply without a valid action, which is not sent to the server. It counts as a round. */
  #refused(refusal: string): StepResult {
    const text = refusal === invalidAction ? `${refusal}\n\n${this.#observed}` : refusal;
    return this.#stepResult(text, 0, { isOver: false, isCut: false }, { ...this.#info({}), thought: '', sent: null });
  }

  #stepResult(
    observation: string,
    reward: number,
    end: { isOver: boolean; isCut: boolean },
    info: AgentGymInfo,
  ): StepResult {
    const limit = this.options.maxRounds ?? this.#family.rounds;
    const terminated = end.isOver;
    const truncated = !terminated && (end.isCut || this.#rounds >= limit);
    if (terminated || truncated) this.#order.end();
    return { observation, reward, terminated, truncated, info: { ...info } };
  }

  #info({ available_actions: actions }: Readonly<Record<string, unknown>>): AgentGymInfo {
    const info = { item: this.#item, worth: this.#worth, won: this.#family.succeeds(this.#worth) };
    return Array.isArray(actions) ? { ...info, validActions: actions.map(String) } : info;
  }
}

/** Reads an answer: an object, a text, or an array that begins with the text. @throws {RefusedAnswer} for a reported error */
function readState(body: unknown): ServerState {
  if (typeof body === 'string') return { text: body, fields: {} };
  if (Array.isArray(body)) {
    const [observation, reward, terminated] = body as unknown[];
    if (typeof observation !== 'string') return refuse(body);
    return { text: observation, fields: { reward, terminated } };
  }
  if (typeof body !== 'object' || body === null) return refuse(body);
  const fields = body as Record<string, unknown>;
  if ('error' in fields) throw new RefusedAnswer(String(fields.error));
  const text = fields.state ?? fields.observation;
  if (typeof text !== 'string') return refuse(body);
  // WebArena's server reports a failed reset by this text with status 200.
  if (text === 'TimeoutError') throw new RefusedAnswer('the reset took too long (TimeoutError)');
  return { text, fields };
}

function readId(body: unknown): number {
  const id =
    typeof body === 'object' && body !== null
      ? ((body as Record<string, unknown>).id ?? (body as Record<string, unknown>).env_idx)
      : body;
  return typeof id === 'number' ? id : refuse(body);
}

function refuse(body: unknown): never {
  if (typeof body === 'object' && body !== null && 'error' in body) throw new RefusedAnswer(String(body.error));
  throw new TypeError('neither an observation nor an error that AgentGym would answer');
}

const isFunctionFormat = (format: ActionFormat): boolean =>
  format === 'function_calling' || format === 'code_as_action';

function serverAddress(name: AgentGymFamily, baseUrl: string | null): string {
  if (baseUrl === null) {
    throw new Error(
      `${name} is played on a server, and none is named: base_url is null\n` +
        `  give its address, such as env.base_url=http://127.0.0.1:36001 (AgentGym's own, or one of npx bowyer --config-name serve_env)`,
    );
  }
  const address = baseUrl.replace(/\/+$/, '');
  const { path } = familyOf(name);
  return path === undefined || address.endsWith(path) ? address : address + path;
}

/** Returns a client of an AgentGym server, which connects at the first reset. Omitted options take the schema's defaults. */
export const agentGymEnv = (family: AgentGymFamily, options: Partial<AgentGymOptions> = {}): AgentGymEnv =>
  new AgentGymEnv(family, { ...defaultsOf(agentGymSchema), ...options });
