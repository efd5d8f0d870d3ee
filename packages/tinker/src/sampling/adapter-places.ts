// The adapters that are loaded beside the base for sampling: those used last, as many as there are places.
import type { ServedEngine } from '@bowyer/serving';

export class AdapterPlaces {
  /** The one that was used longest ago comes first. */
  readonly #loaded = new Set<string>();
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly engine: ServedEngine,
    private readonly places: number,
  ) {}

  /**
   * Begins work that uses an adapter by its name, which it has a place for from then on until its answers end.
   *
   * @param name null: the base itself
   * @param begin starts all of its work before it returns
   */
  async with<Result>(
    name: { adapter: string; folder: string } | null,
    begin: (model: string) => Promise<Result>,
  ): Promise<Result> {
    if (name === null) return begin(this.engine.adapters.modelName);
    const { work } = await this.#inTurn(async () => {
      await this.#load(name.adapter, name.folder);
      return { work: begin(name.adapter) };
    });
    return work;
  }

  /** The files of an adapter have changed, or are gone. */
  forget(adapter: string): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#loaded.delete(adapter)) this.engine.adapters.unload(adapter);
    });
  }

  async #load(adapter: string, folder: string): Promise<void> {
    if (this.#loaded.delete(adapter)) return void this.#loaded.add(adapter);
    while (this.#loaded.size >= this.places) {
      const [oldest] = this.#loaded;
      this.#loaded.delete(oldest);
      this.engine.adapters.unload(oldest);
    }
    await this.engine.adapters.load(adapter, folder);
    this.#loaded.add(adapter);
  }

  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#lastChange.then(change);
    this.#lastChange = result.catch(() => undefined);
    return result;
  }
}
