// Keeps the model names that clients may request: the base model's and those of the loaded LoRA adapters. Adapters change while
// answers are in progress: one whose name was removed stays loaded until its last answer has ended.
import type { AdapterBank, LoadedAdapter } from '@bowyer/models';
import { BadRequestError, unknownModel } from '../generation/request-error.js';

interface ServedAdapter {
  name: string;
  dir: string;
  /** The time of loading, in milliseconds since 1970. */
  loadedAt: number;
}

/** The adapter that a request reserves. The function that generates its answer calls `release` when the answer has ended. */
interface AdapterUse {
  /** Null for the base model. */
  adapter: LoadedAdapter | null;
  release: () => void;
}

interface Entry extends ServedAdapter {
  adapter: LoadedAdapter;
  /** The number of answers in progress that use the adapter. */
  users: number;
  /** Called when the last answer ends after the name was removed. */
  whenUnused: (() => void) | null;
}

export class AdapterRegistry {
  readonly #entries = new Map<string, Entry>();
  /** Adapters whose name was removed and whose answers have not ended. */
  readonly #leaving = new Set<Promise<void>>();
  #lastChange: Promise<unknown> = Promise.resolve();

  /**
   * @param modelName the name of the model without an adapter
   * @param bank loads adapters into the model; null if the server does not serve adapters
   * @param now returns the time in milliseconds since 1970
   */
  constructor(
    readonly modelName: string,
    private readonly bank: Pick<AdapterBank, 'read' | 'load' | 'unload' | 'free' | 'layout'> | null,
    private readonly now: () => number = Date.now,
  ) {}

  /** Returns the adapters in the order in which they were loaded. */
  get adapters(): readonly ServedAdapter[] {
    return [...this.#entries.values()].map(({ name, dir, loadedAt }) => ({ name, dir, loadedAt }));
  }

  get names(): string[] {
    return [this.modelName, ...this.#entries.keys()];
  }

  /** Reserves an adapter: it stays loaded until `release`. @throws {BadRequestError} for a name that is not served */
  use(name: string): AdapterUse {
    if (name === this.modelName) return { adapter: null, release: () => undefined };
    const entry = this.#entryOf(name);
    entry.users++;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      if (--entry.users === 0) entry.whenUnused?.();
    };
    return { adapter: entry.adapter, release };
  }

  /**
   * Loads an adapter from a folder. Calls of `load` and `unload` run one at a time. If the bank is full and adapters are being
   * unloaded, it waits until one of them has been unloaded.
   *
   * @param replaces whether the adapter replaces a loaded one of the same name; answers in progress end with the former adapter
   * @returns the base model that the adapter's files name, if it is the path of a folder on this machine
   * @throws {AdapterError} for an adapter that cannot be served, and {BadRequestError} if its name is used or the bank is full;
   *   nothing has changed then
   */
  load(name: string, dir: string, { replaces = false } = {}): Promise<{ base: string | null }> {
    return this.#inTurn(async () => {
      this.#checkName(name, replaces);
      const read = await this.bank!.read(dir);
      while (this.bank!.free === 0 && this.#leaving.size > 0) await Promise.race(this.#leaving);
      if (this.bank!.free === 0)
        throw new BadRequestError(
          `There is room for ${this.bank!.layout.places} adapters (task.max_adapters), and ${[...this.#entries.keys()].join(', ')} have it; unload one first`,
        );
      const adapter = await this.bank!.load(read);
      const former = this.#entries.get(name);
      this.#entries.set(name, { name, dir, adapter, loadedAt: this.now(), users: 0, whenUnused: null });
      if (former) this.#leave(former);
      return { base: read.base };
    });
  }

  /** Removes the adapter's name immediately. Its memory in the bank becomes free when its answers have ended. */
  unload(name: string): void {
    const entry = this.#entryOf(name);
    this.#entries.delete(name);
    this.#leave(entry);
  }

  #entryOf(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry) return entry;
    if (name === this.modelName)
      throw new BadRequestError(`'${name}' is the model itself, not an adapter`, 'lora_name');
    throw unknownModel(name, this.names);
  }

  #checkName(name: string, replaces: boolean): void {
    const refused = (problem: string) => new BadRequestError(problem, 'lora_name');
    if (this.bank === null) throw refused('This server has no room for adapters');
    if (name === this.modelName)
      throw refused(`'${name}' is the name of the model itself; give the adapter another one`);
    if (!replaces && this.#entries.has(name))
      throw refused(`The adapter '${name}' is loaded already; unload it first, or replace it with load_inplace`);
  }

  #leave(entry: Entry): void {
    const unused = new Promise<void>((resolve) => (entry.whenUnused = resolve));
    const left = unused.then(() => {
      this.bank!.unload(entry.adapter);
      this.#leaving.delete(left);
    });
    this.#leaving.add(left);
    if (entry.users === 0) entry.whenUnused?.();
  }

  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#lastChange.then(change);
    this.#lastChange = result.catch(() => undefined);
    return result;
  }
}
