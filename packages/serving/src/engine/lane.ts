// Contexts that have similar room advance together: the rows of a key-value cache are read at the length of the longest, so that a
// context of 30,000 tokens among chats of 500 would make each of their tokens as dear as its own. Each lane has a cache.
import { maximum } from '@bowyer/core';
import { commonPrefix, type Episodes, type LanguageModel, type LoadedAdapter, type PrefixPool } from '@bowyer/models';

/** The longest contexts of the first lane. Each further one has contexts four times as long: a lane more is a run of the model more. */
const SHORTEST = 2048;
const GROWTH = 4;

export class Lane {
  /** The least recently used one first. */
  readonly #free: number[];

  private constructor(
    readonly episodes: Episodes,
    /** Tokens of its longest contexts. */
    readonly positions: number,
    private readonly slots: number,
    /** Whether contexts of slots that are free are also in a pool. */
    private readonly isPooled: boolean,
  ) {
    this.#free = Array.from({ length: slots }, (_, slot) => slot);
  }

  /** Lanes for all contexts of a model, the shortest first; each has room for all answers at the same time. */
  static async openAll(model: LanguageModel, slots: number, pool: PrefixPool | undefined): Promise<Lane[]> {
    const lanes: Lane[] = [];
    for (let positions = SHORTEST; ; positions *= GROWTH) {
      const contextLength = Math.min(positions, model.contextLength);
      const episodes = await model.openEpisodes({
        slots,
        contextLength,
        sharesSampler: true,
        drawsPerToken: true,
        pool,
      });
      lanes.push(new Lane(episodes, contextLength, slots, pool !== undefined));
      if (positions >= model.contextLength) return lanes;
    }
  }

  /**
   * A free slot for an answer, whose context is then as much of the prompt as the slot's own keys and values are of: one that the
   * prompt continues, else the least recently used one, since others' beginnings can be copied.
   */
  take(promptIds: readonly number[], adapter: LoadedAdapter | null): number {
    // Keys and values that one adapter has computed cannot be used by another.
    const known = this.#free.map((slot) =>
      this.episodes.adapter(slot) === adapter ? commonPrefix(this.episodes.context(slot), promptIds) : 0,
    );
    const continued = known.map((length, i) =>
      this.episodes.canCopy && length < this.episodes.length(this.#free[i]) ? 0 : length,
    );
    const best = continued.indexOf(maximum(continued));
    const [slot] = this.#free.splice(best, 1);
    this.episodes.truncate(slot, known[best]);
    return slot;
  }

  /** The answers have ended. Their contexts are kept in the pool, if there is one, and in the slots until others take these. */
  async giveBack(slots: readonly number[]): Promise<void> {
    try {
      await this.episodes.retain(slots);
    } catch {
      for (const slot of slots) this.episodes.truncate(slot, 0); // a broken device is reported by the next answer
    }
    this.#free.push(...slots);
  }

  /** Shortens what free slots keep to the longest context in use: rows are as long as the longest. The rest is in the pool. */
  shorten(): void {
    if (!this.isPooled || this.#free.length === this.slots) return;
    const free = new Set(this.#free);
    const used = Array.from({ length: this.slots }, (_, slot) => slot).filter((slot) => !free.has(slot));
    const longest = maximum(used.map((slot) => this.episodes.length(slot)));
    for (const slot of free) if (this.episodes.length(slot) > longest) this.episodes.truncate(slot, longest);
  }

  /** The weights have changed: nothing that free slots keep is true any more. */
  forget(): void {
    for (const slot of this.#free) this.episodes.truncate(slot, 0);
  }
}
