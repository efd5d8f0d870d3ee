// Stores sessions of clients, and their sampling sessions, which sample from the base or from a checkpoint.
import { join } from 'node:path';
import { RequestError } from '../request-error.js';
import { JsonFolder } from './json-folder.js';

export interface Session {
  id: string;
  tags: string[];
  userMetadata: Record<string, unknown> | null;
  /** The idempotency key of the request that opened the session, and the hash of its body: a repeated request gets the same session. */
  key: string | null;
  hash: string;
  /** The number among the server's sessions; the oldest unused sessions are removed first. */
  number: number;
}

/** The most sessions; beyond it, the oldest ones without a model and without a sampling session are removed. */
const MOST_SESSIONS = 1_024;

/** The most sampling sessions of one session; beyond it, those with the lowest numbers are removed. */
const MOST_SAMPLERS = 4_096;

/** The most sampling sessions of all sessions. */
const MOST_OF_ALL = 16_384;

interface SamplingSession {
  id: string;
  sessionId: string;
  /** The session's number; absent in records of earlier versions, which are the oldest. */
  seq?: number;
  /** The checkpoint; null for the base. */
  path: string | null;
}

export class Sessions {
  /** The last creation. Creations run one after another, so that a repeated request opens only one session. */
  #creating: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly sessions: JsonFolder<Session>,
    private readonly samplers: JsonFolder<SamplingSession>,
  ) {}

  static async open(folder: string): Promise<Sessions> {
    const [sessions, samplers] = [join(folder, 'sessions'), join(folder, 'samplers')];
    const opened = await JsonFolder.open<Session & { body?: string }>(sessions);
    // records of earlier versions have this field, which can be megabytes
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
   * Opens a session.
   *
   * @param used the sessions that have models
   * @throws {RequestError} 409 if its key was sent with another body, 429 if all sessions are in use
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

  /** Returns a session by its id. @throws {RequestError} 404 */
  find(id: string): Session {
    const found = this.sessions.get(id);
    if (found) return found;
    throw new RequestError(`there is no session ${id}`, 404);
  }

  /** Opens a sampling session. @throws {RequestError} 409 if another one has the number */
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

  /** Returns a sampling session by its id. @throws {RequestError} 404 */
  findSampler(id: string): SamplingSession {
    const found = this.samplers.get(id);
    if (found) return found;
    throw new RequestError(`there is no sampling session ${id}`, 404);
  }
}
