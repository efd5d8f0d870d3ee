// The environments that a server holds, each under a number: made on demand, one request at a time, closed when idle.
import type { Env, ResumableEnv } from '@bowyer/envs';
import type { Told } from './answers.js';

export interface InstanceTableOptions {
  makeEnv: () => Env;
  /** Turns a problem's number into what the environment's reset takes; null: any problem. */
  resetOptions: (item: number | null) => object;
  /** Whether steps after the end are taken, by environments that can. */
  goesOn?: boolean;
  /** Whether a line end at the end of an observation is left out. */
  withoutLineEnd?: boolean;
  /** Environments at the same time. */
  maxInstances: number;
  /** An environment that is not asked for anything for this long is closed, in milliseconds. */
  idleMs: number;
}

/** What a client is told about a request that cannot be done. */
export class InstanceError extends Error {
  override readonly name = 'InstanceError';
}

export class TooManyInstancesError extends Error {
  override readonly name = 'TooManyInstancesError';
}

interface Instance {
  env: Env;
  /** Null before the first reset. */
  told: Told | null;
  lastUsed: number;
  /** Requests of one instance go one after another. */
  last: Promise<unknown>;
  waiting: number;
}

export class InstanceTable {
  readonly #instances = new Map<number, Instance>();
  #nextId = 0;

  constructor(private readonly options: InstanceTableOptions) {}

  get ids(): number[] {
    return [...this.#instances.keys()];
  }

  /** @throws {TooManyInstancesError} */
  create(): number {
    const { makeEnv, maxInstances } = this.options;
    if (this.#instances.size >= maxInstances) {
      throw new TooManyInstancesError(`all ${maxInstances} environments are in use (max_instances)`);
    }
    const id = this.#nextId++;
    const env = makeEnv();
    this.#instances.set(id, { env, told: null, lastUsed: Date.now(), last: Promise.resolve(), waiting: 0 });
    return id;
  }

  reset(id: number, item: number | null): Promise<Told> {
    return this.#inTurn(id, async (instance) => {
      const { observation: text, info } = await instance.env.reset(this.options.resetOptions(item));
      const observation = this.#shown(text);
      instance.told = { ...unplayed(id), observation, start: observation, info };
      return instance.told;
    });
  }

  step(id: number, action: string): Promise<Told> {
    return this.#inTurn(id, async (instance) => {
      const before = this.#running(id, instance);
      if (hasEnded(before)) (instance.env as ResumableEnv).resume();
      const result = await instance.env.step(action);
      const observation = this.#shown(result.observation);
      instance.told = { ...result, id, observation, start: before.start, total: before.total + result.reward };
      return instance.told;
    });
  }

  /** @throws {InstanceError} before the first reset and, unless the episode may go on, after its end */
  told(id: number): Promise<Told> {
    return this.#inTurn(id, (instance) => Promise.resolve(this.#running(id, instance)));
  }

  /** @throws {InstanceError} for a number that is not in use */
  wasReset(id: number): boolean {
    return this.#known(id).told !== null;
  }

  /** @returns whether there was such an instance */
  async close(id: number): Promise<boolean> {
    const instance = this.#instances.get(id);
    if (instance === undefined) return false;
    this.#instances.delete(id);
    await instance.last;
    await instance.env.close();
    return true;
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.ids.map((id) => this.close(id)));
  }

  /** @returns how many were closed */
  async closeIdle(now: number = Date.now()): Promise<number> {
    const idle = [...this.#instances].filter(
      ([, { waiting, lastUsed }]) => waiting === 0 && now - lastUsed > this.options.idleMs,
    );
    await Promise.all(idle.map(([id]) => this.close(id)));
    return idle.length;
  }

  #running(id: number, { told, env }: Instance): Told {
    if (told === null) throw new InstanceError(String(id));
    if (!hasEnded(told) || (this.options.goesOn === true && 'resume' in env)) return told;
    throw new InstanceError(`The task with environment ${id} has finished.`);
  }

  #shown(text: string): string {
    return this.options.withoutLineEnd === true ? text.replace(/\n$/, '') : text;
  }

  #known(id: number): Instance {
    const instance = this.#instances.get(id);
    if (instance === undefined) throw new InstanceError(`The id ${id} is not valid.`);
    return instance;
  }

  async #inTurn<T>(id: number, task: (instance: Instance) => Promise<T>): Promise<T> {
    const instance = this.#known(id);
    instance.waiting++;
    const result = instance.last.then(() => task(instance));
    instance.last = result.catch(() => {});
    try {
      return await result;
    } finally {
      instance.waiting--;
      instance.lastUsed = Date.now();
    }
  }
}

const hasEnded = ({ terminated, truncated }: Told): boolean => terminated || truncated;

/** What is told of an instance that was never reset. */
export const unplayed = (id: number): Told => ({
  id,
  observation: '',
  start: '',
  reward: 0,
  total: 0,
  terminated: false,
  truncated: false,
  info: {},
});
