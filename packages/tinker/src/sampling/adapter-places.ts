// The adapters that are loaded beside the base for sampling: those used last, as many as there are places.
import type { ServedEngine } from '@bowyer/serving';

/** An adapter by its name. */
export interface NamedAdapter {
  name: string;
  /** Its folder stays and has whole files while `use` reads it. @throws where there is no such adapter any more */
  reading: (use: (folder: string) => Promise<unknown>) => Promise<unknown>;
}

export class AdapterPlaces {
  /** The one that was used longest ago comes first. */
  readonly #loaded = new Set<string>();
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly engine: ServedEngine,
    private readonly places: number,
  ) {}

  /**
   * Begins work that uses an adapter, which has a place from then on until its answers end.
   *
   * @param adapter null: the base itself
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

  /** The files of an adapter have changed, or are gone. */
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
