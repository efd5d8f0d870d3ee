// Stores clients' sessions, and the sampling sessions within them, each of which samples from the base model or a checkpoint.
import { join } from 'node:path';
import { RequestError } from '../request-error.js';
import { JsonFolder } from './json-folder.js';

export interface Session {
  id: string;
  tags: string[];
  userMetadata: Record<string, unknown> | null;
  /** `key` (idempotency) and `hash` (of the body) of the opening request, which gets the same session if it is repeated. */
  key: string | null;
  hash: string;
  /** The number in the order of all sessions of the server; when there are too many, the oldest unused sessions are removed. */
  number: number;
}

/** The most sessions. When there are more, the oldest sessions without a model and without a sampling session are removed. */
const MOST_SESSIONS = 1_024;

/** The most sampling sessions within one session. When there are more, those with the lowest numbers are removed. */
const MOST_SAMPLERS = 4_096;

/** The most sampling sessions within all sessions together. */
const MOST_OF_ALL = 16_384;

interface SamplingSession {
  id: string;
  sessionId: string;
  /** The number of the sampling session within its session. Records of earlier versions lack it, and count as the oldest. */
  seq?: number;
  /** The checkpoint that is sampled from; null for the base model. */
  path: string | null;
}

export class Sessions {
  /** Creations run one after another, so that a repeated request opens only one session. */
  #creating: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly sessions: JsonFolder<Session>,
    private readonly samplers: JsonFolder<SamplingSession>,
  ) {}

  static async open(folder: string): Promise<Sessions> {
    const [sessions, samplers] = [join(folder, 'sessions'), join(folder, 'samplers')];
    const opened = await JsonFolder.open<Session & { body?: string }>(sessions);
    // The field is removed, since it can have megabytes; only records of earlier versions have it.
    for (const session of opened.entries.values()) delete session.body;
    return new Sessions(opened, await JsonFolder.open(samplers));
  }

  get ids(): string[] {
    return [...this.sessions.entries.keys()];
  }

  samplersOf(sessionId: string): string[] {
    return this.#samplersOf(sessionId).map(({ id }) => id);
  }

  #samplersOf(sessionId: string): SamplingSession[] {
    return [...this.samplers.entries.values()].filter((each) => each.sessionId === sessionId);
  }

  /**
   * @param used the ids of the sessions that have models
   * @throws {RequestError} 409 if the idempotency key was sent before with another body, 429 if all sessions are in use
   */
  create(session: Omit<Session, 'number'>, used: ReadonlySet<string>): Promise<Session> {
    const created = this.#creating.then(() => this.#create(session, used));
    this.#creating = created.catch(() => undefined);
    return created;
  }

  async #create(session: Omit<Session, 'number'>, used: ReadonlySet<string>): Promise<Session> {
    const known = session.key === null ? undefined : this.#withKey(session.key);
    if (known && known.hash !== session.hash)
      throw new RequestError('the header X-Idempotency-Key was sent before with another body', 409);
    if (known) return known;
    await this.#makeRoom(used);
    const all = [...this.sessions.entries.values()];
    const number = 1 + all.reduce((most, { number: each = 0 }) => Math.max(most, each), 0);
    const made = { ...session, number };
    await this.sessions.set(session.id, made);
    return made;
  }

  async #makeRoom(used: ReadonlySet<string>): Promise<void> {
    if (this.sessions.entries.size < MOST_SESSIONS) return;
    const sampled = new Set([...this.samplers.entries.values()].map(({ sessionId }) => sessionId));
    const unused = [...this.sessions.entries.values()].filter(({ id }) => !used.has(id) && !sampled.has(id));
    const [oldest] = unused.sort((a, b) => (a.number ?? 0) - (b.number ?? 0));
    if (oldest === undefined)
      throw new RequestError(`this server keeps ${MOST_SESSIONS} sessions, and each has models or samples`, 429);
    await this.sessions.delete(oldest.id);
  }

  #withKey(key: string): Session | undefined {
    return [...this.sessions.entries.values()].find((each) => each.key === key);
  }

  /** Throws RequestError 404 for an unknown id. */
  find(id: string): Session {
    const found = this.sessions.get(id);
    if (found) return found;
    throw new RequestError(`there is no session ${id}`, 404);
  }

  /** Throws RequestError 409 if a different one has the same number. */
  async openSampler(sessionId: string, seq: number, path: string | null): Promise<SamplingSession> {
    const id = `${sessionId}:sample:${seq}`;
    const known = this.samplers.get(id);
    if (known && known.path !== path)
      throw new RequestError(`the sampling session ${id} is of ${known.path ?? 'the base'}`, 409);
    const sampler = { id, sessionId, seq, path };
    if (known) return known;
    const own = this.#samplersOf(sessionId);
    if (own.length >= MOST_SAMPLERS)
      await this.samplers.delete(own.reduce((first, each) => ((each.seq ?? -1) < (first.seq ?? -1) ? each : first)).id);
    else if (this.samplers.entries.size >= MOST_OF_ALL)
      throw new RequestError(`this server keeps ${MOST_OF_ALL} sampling sessions; use those that you have`, 429);
    await this.samplers.set(id, sampler);
    return sampler;
  }

  /** Throws RequestError 404 for an unknown id. */
  findSampler(id: string): SamplingSession {
    const found = this.samplers.get(id);
    if (found) return found;
    throw new RequestError(`there is no sampling session ${id}`, 404);
  }
}
