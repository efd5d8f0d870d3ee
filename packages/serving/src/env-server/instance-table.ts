// Keeps environment instances by id. They are created by requests, handle one request at a time, and are closed when idle.
import type { Env, ResumableEnv } from '@bowyer/envs';
import { hasEnded, type InstanceState } from './answers.js';

export interface InstanceTableOptions {
  makeEnv: () => Env;
  /** Converts a problem's number to the options of the environment's `reset`; null stands for any problem. */
  resetOptions: (item: number | null) => object;
  /** Whether steps after the end of an episode are allowed, for environments that support this. */
  continuesAfterEnd?: boolean;
  /** Whether a line break at the end of an observation is removed, as AgentGym's servers do for some environments. */
  withoutLineEnd?: boolean;
  maxInstances: number;
  /** Milliseconds without a request after which an environment is closed. */
  idleMs: number;
}

/** The error for a request that is impossible in the instance's state, such as a step before the first reset. */
export class InstanceError extends Error {
  override readonly name = 'InstanceError';
}

export class TooManyInstancesError extends Error {
  override readonly name = 'TooManyInstancesError';
}

interface Instance {
  env: Env;
  /** Null before the first reset. */
  state: InstanceState | null;
  lastUsed: number;
  /** Fulfilled when the last request has ended; requests of one instance run one after another. */
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

  /** @returns its id @throws {TooManyInstancesError} */
  create(): number {
    const { makeEnv, maxInstances } = this.options;
    if (this.#instances.size >= maxInstances) {
      throw new TooManyInstancesError(`all ${maxInstances} environments are in use (task.max_instances)`);
    }
    const id = this.#nextId++;
    const env = makeEnv();
    this.#instances.set(id, { env, state: null, lastUsed: performance.now(), last: Promise.resolve(), waiting: 0 });
    return id;
  }

  reset(id: number, item: number | null): Promise<InstanceState> {
    return this.#inTurn(id, async (instance) => {
      const { observation: text, info } = await instance.env.reset(this.options.resetOptions(item));
      const observation = this.#shown(text);
      instance.state = { ...initialState(id), observation, start: observation, info };
      return instance.state;
    });
  }

  step(id: number, action: string): Promise<InstanceState> {
    return this.#inTurn(id, async (instance) => {
      const before = this.#running(id, instance);
      if (hasEnded(before)) (instance.env as ResumableEnv).resume();
      const result = await instance.env.step(action);
      const observation = this.#shown(result.observation);
      instance.state = { ...result, id, observation, start: before.start, total: before.total + result.reward };
      return instance.state;
    });
  }

  /** Throws InstanceError before the first reset and, unless the episode may continue, after its end. */
  state(id: number): Promise<InstanceState> {
    return this.#inTurn(id, (instance) => Promise.resolve(this.#running(id, instance)));
  }

  /** Throws InstanceError for an unknown id. */
  wasReset(id: number): boolean {
    return this.#known(id).state !== null;
  }

  /** Returns whether the id was known. */
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

  /** Closes the instances without requests for longer than `idleMs`. @returns how many */
  async closeIdle(now: number = performance.now()): Promise<number> {
    const idle = [...this.#instances].filter(
      ([, { waiting, lastUsed }]) => waiting === 0 && now - lastUsed > this.options.idleMs,
    );
    await Promise.all(idle.map(([id]) => this.close(id)));
    return idle.length;
  }

  #running(id: number, { state, env }: Instance): InstanceState {
    if (state === null) throw new InstanceError(String(id));
    if (!hasEnded(state) || (this.options.continuesAfterEnd === true && 'resume' in env)) return state;
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
      instance.lastUsed = performance.now();
    }
  }
}

export const initialState = (id: number): InstanceState => ({
  id,
  observation: '',
  start: '',
  reward: 0,
  total: 0,
  terminated: false,
  truncated: false,
  info: {},
});
