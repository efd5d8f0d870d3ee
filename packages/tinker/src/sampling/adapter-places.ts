// Holds the adapters that are loaded with the base for sampling: the most recently used ones, up to a number of places.
import type { ServedEngine } from '@bowyer/serving';

/** An adapter with its name. */
export interface NamedAdapter {
  name: string;
  /** Calls `use` with the adapter's folder, whose files do not change meanwhile. @throws if the adapter no longer exists */
  reading: (use: (folder: string) => Promise<unknown>) => Promise<unknown>;
}

export class AdapterPlaces {
  /** The names of loaded adapters, least recently used first. */
  readonly #loaded = new Set<string>();
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly engine: ServedEngine,
    private readonly places: number,
  ) {}

  /**
   * Begins work that uses an adapter, which remains loaded until the work's answers end.
   *
   * @param adapter null for the base itself
   * @param begin starts all of its work before it returns
   */
  async with<Result>(adapter: NamedAdapter | null, begin: (model: string) => Promise<Result>): Promise<Result> {
    if (adapter === null) return begin(this.engine.adapters.modelName);
    const { work } = await this.#inTurn(async () => {
      await this.#load(adapter);
      return { work: begin(adapter.name) };
    });
    return work;
  }

  /** Unloads an adapter whose files have changed or were removed. */
  forget(adapter: string): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#loaded.delete(adapter)) this.engine.adapters.unload(adapter);
    });
  }

  async #load({ name, reading }: NamedAdapter): Promise<void> {
    if (this.#loaded.delete(name)) return void this.#loaded.add(name);
    while (this.#loaded.size >= this.places) {
      const [oldest] = this.#loaded;
      this.#loaded.delete(oldest);
      this.engine.adapters.unload(oldest);
    }
    await reading((folder) => this.engine.adapters.load(name, folder));
    this.#loaded.add(name);
  }

  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#lastChange.then(change);
    this.#lastChange = result.catch(() => undefined);
    return result;
  }
}
