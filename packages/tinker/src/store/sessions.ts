// Sessions of clients, and the sampling sessions that they open: each samples the base, or a checkpoint.
import { join } from 'node:path';
import { RequestError } from '../request-error.js';
import { JsonFolder } from './json-folder.js';

export interface Session {
  id: string;
  tags: string[];
  userMetadata: Record<string, unknown> | null;
  /** The key of the request that opened it, and its body: sent again, it is the same session. */
  key: string | null;
  body: string;
}

export interface SamplingSession {
  id: string;
  sessionId: string;
  /** Null: the base. */
  path: string | null;
}

export class Sessions {
  private constructor(
    private readonly sessions: JsonFolder<Session>,
    private readonly samplers: JsonFolder<SamplingSession>,
  ) {}

  static async open(folder: string): Promise<Sessions> {
    const [sessions, samplers] = [join(folder, 'sessions'), join(folder, 'samplers')];
    return new Sessions(await JsonFolder.open(sessions), await JsonFolder.open(samplers));
  }

  get ids(): string[] {
    return [...this.sessions.entries.keys()];
  }

  samplersOf(sessionId: string): string[] {
    return [...this.samplers.entries.values()].filter((each) => each.sessionId === sessionId).map(({ id }) => id);
  }

  /** @throws {RequestError} 409 where its key was sent with another body */
  async create(session: Session): Promise<Session> {
    const known = session.key === null ? undefined : this.#withKey(session.key);
    if (known && known.body !== session.body)
      throw new RequestError('the header X-Idempotency-Key was sent before with another body', 409);
    if (known) return known;
    await this.sessions.set(session.id, session);
    return session;
  }

  #withKey(key: string): Session | undefined {
    return [...this.sessions.entries.values()].find((each) => each.key === key);
  }

  /** @throws {RequestError} 404 */
  find(id: string): Session {
    const found = this.sessions.get(id);
    if (found) return found;
    throw new RequestError(`there is no session ${id}`, 404);
  }

  /** @throws {RequestError} 409 where the number was used for another one */
  async openSampler(sessionId: string, seq: number, path: string | null): Promise<SamplingSession> {
    const id = `${sessionId}:sample:${seq}`;
    const known = this.samplers.get(id);
    if (known && known.path !== path)
      throw new RequestError(`the sampling session ${id} is of ${known.path ?? 'the base'}`, 409);
    const sampler = { id, sessionId, path };
    if (!known) await this.samplers.set(id, sampler);
    return sampler;
  }

  /** @throws {RequestError} 404 */
  findSampler(id: string): SamplingSession {
    const found = this.samplers.get(id);
    if (found) return found;
    throw new RequestError(`there is no sampling session ${id}`, 404);
  }
}
