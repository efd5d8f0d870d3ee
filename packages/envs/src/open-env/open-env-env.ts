// Plays an environment on an OpenEnv server as a client. Each WebSocket is a session with an environment of its own on the
// server. It is kept for later episodes, except after a timeout.
import { isRecord } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { HttpServer } from '../http/http-server.js';
import { textMapping, type OpenEnvSchemas, type TextMapping } from './mapping.js';
import { OpenEnvError, OpenEnvSocket } from './open-env-socket.js';
import type { OpenEnvOptions } from './options.js';

const INVALID = 'Invalid action: reply with one JSON object.';

const ACTION_LISTS = ['available_actions', 'legal_actions', 'legal_moves', 'legal'];

/** The checks that a server's resets depend only on the seed, by the server's address and the data of the reset. */
const seedChecks = new Map<string, Promise<void>>();

export class OpenEnvEnv implements Env {
  readonly #order = new EpisodeOrder('openenv');
  readonly #url: string;
  #socket: OpenEnvSocket | null = null;
  #mapping: Promise<TextMapping> | null = null;
  #turns = 0;
  #observed = '';

  constructor(private readonly options: OpenEnvOptions) {
    this.#url = socketUrl(options.baseUrl);
  }

  async reset({ seed }: { seed?: number } = {}): Promise<ResetResult> {
    this.#order.begin();
    this.#order.end(); // No step is allowed until the server has answered.
    this.#mapping ??= readMapping(this.#url, this.options);
    this.#mapping.catch(() => (this.#mapping = null)); // after a failure, the next reset requests the schemas again
    await this.#mapping;
    if (seed !== undefined && this.options.requireSeed) await this.#checkSeed(seed);
    const fields = await this.#begin(seed);
    const { observation, info } = await this.#read(fields);
    this.#turns = 0;
    this.#order.begin();
    return { observation, info };
  }

  async step(text: string): Promise<StepResult> {
    this.#order.assertRunning();
    const action = (await this.#mapping!).action(text);
    this.#turns++;
    if (action === null) return this.#refused(INVALID);
    let fields: Readonly<Record<string, unknown>>;
    try {
      fields = await this.#socket!.request({ type: 'step', data: action });
    } catch (error) {
      // If the agent writes the action as JSON, invalid fields are a mistake of the agent, and an observation reports them.
      if (this.options.actionFormat === 'json' && error instanceof OpenEnvError && error.code === 'VALIDATION_ERROR')
        return this.#refused(`Invalid action: ${error.detail}`);
      this.#order.end();
      throw error;
    }
    const { observation, info, reward, done, wasCut } = await this.#read(fields);
    const terminated = done && !wasCut;
    const truncated = !terminated && (done || this.#turns >= this.options.maxTurns);
    if (terminated || truncated) this.#order.end();
    const won = terminated && reward === this.options.successReward;
    return { observation, reward, terminated, truncated, info: { ...info, won } };
  }

  async close(): Promise<void> {
    this.#order.close();
    this.#socket?.close();
    this.#socket = null;
  }

  /** Begins an episode over the open WebSocket, or over a new one. */
  async #begin(seed: number | undefined): Promise<Readonly<Record<string, unknown>>> {
    if (!this.#socket?.isOpen) {
      const { timeoutMs, connectMs } = this.options;
      this.#socket = await OpenEnvSocket.connect(this.#url, { timeoutMs, connectMs, seed: seed ?? 0 });
    }
    const data = { ...this.options.reset, ...(seed !== undefined && { seed }) };
    return this.#socket.request({ type: 'reset', data });
  }

  /** Checks once per server that resets with one seed are equal, since GRPO compares episodes with the same initial state. */
  #checkSeed(seed: number): Promise<void> {
    const place = `${this.#url} ${JSON.stringify(this.options.reset)}`;
    let check = seedChecks.get(place);
    if (check === undefined) {
      check = (async () => {
        const starts = [await this.#begin(seed), await this.#begin(seed)];
        const [first, second] = await Promise.all(starts.map((fields) => this.#read(fields)));
        if (first.observation !== second.observation) throw ignoredSeed(this.#url, seed);
      })();
      seedChecks.set(place, check);
      check.catch(() => seedChecks.delete(place));
    }
    return check;
  }

  async #read(fields: Readonly<Record<string, unknown>>) {
    const observed = isRecord(fields.observation) ? fields.observation : {};
    const { observation: _, reward = observed.reward, done = observed.done, ...beside } = fields;
    const actions = ACTION_LISTS.map((name) => observed[name]).find(Array.isArray);
    this.#observed = (await this.#mapping!).observation(observed);
    return {
      observation: this.#observed,
      info: {
        ...beside,
        observed,
        won: false,
        ...(actions && { validActions: actions.map(String) }),
        ...(observed.is_history === true && { isHistory: true }), // only this project's servers send it
      },
      reward: typeof reward === 'boolean' ? Number(reward) : typeof reward === 'number' ? reward : 0,
      done: done === true,
      wasCut: observed.end_reason === 'turn_limit', // only this project's servers send it
    };
  }

  /** Returns the step result for a reply without a valid action, which is not sent to the server. It counts as a turn. */
  #refused(message: string): StepResult {
    const truncated = this.#turns >= this.options.maxTurns;
    if (truncated) this.#order.end();
    const observation = `${message}\n\n${this.#observed}`;
    return { observation, reward: 0, terminated: false, truncated, info: { won: false, invalid: true } };
  }
}

async function readMapping(url: string, options: OpenEnvOptions): Promise<TextMapping> {
  const base = url.replace(/^ws/, 'http').replace(/\/ws$/, '');
  const server = new HttpServer(base, { answerTimeoutMs: options.timeoutMs });
  try {
    const read = (body: unknown) => {
      const { action, observation } = body as Partial<OpenEnvSchemas>;
      if (!isRecord(action) || !isRecord(observation)) throw new TypeError('no schemas of action and observation');
      return { action, observation };
    };
    return textMapping(base, await server.request({ method: 'GET', path: '/schema', read }), options);
  } finally {
    await server.close();
  }
}

const ignoredSeed = (url: string, seed: number) =>
  new Error(
    `${url} ignores seeds: two resets with seed ${seed} begin with different observations, so that an episode cannot be repeated\n` +
      '  to play it all the same: env.require_seed=false; methods that compare episodes of one start (grpo, rloo, gigpo, hgpo) need a server that obeys seeds',
  );

/** As in OpenEnv's client, http becomes ws, the default scheme is ws, and /ws is appended if it is missing. */
function socketUrl(baseUrl: string | null): string {
  if (baseUrl === null) {
    throw new Error(
      'openenv is played on a server, and none is named: base_url is null\n' +
        '  give its address, such as env.base_url=http://127.0.0.1:8000',
    );
  }
  const address = baseUrl.replace(/\/+$/, '').replace(/^http/, 'ws').replace(/\/ws$/, '');
  return `${/^wss?:\/\//.test(address) ? address : `ws://${address}`}/ws`;
}
