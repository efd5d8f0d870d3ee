// Loads LoRA adapters of models and checkpoints for sampling; only a fixed number of the most recently used ones stay loaded.
import type { ServedEngine } from '@bowyer/serving';

export interface NamedAdapter {
  name: string;
  /** The folder's files do not change until `use` has ended. @throws if the adapter no longer exists */
  reading: (use: (folder: string) => Promise<unknown>) => Promise<unknown>;
}

export class AdapterPlaces {
  /** The names of the loaded adapters, the least recently used one first. */
  readonly #loaded = new Set<string>();
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly engine: ServedEngine,
    private readonly places: number,
  ) {}

  /**
   * Loads an adapter if needed; it stays loaded until the answers have ended.
   *
   * @param adapter null for the base model itself
   * @param begin starts all of its answers before it returns its promise
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
