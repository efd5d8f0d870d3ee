// A lane is a group of sequences of similar length that share a key-value cache and are generated in one batch. The model reads
// each row of a cache up to the length of the longest context in it, so that with one cache for all, one context of 30,000 tokens
// would make each token of chats of 500 tokens as expensive as its own.
import { maximum } from '@bowyer/core';
import { commonPrefix, type Episodes, type LanguageModel, type LoadedAdapter, type PrefixPool } from '@bowyer/models';

/** The longest context of the first lane, in tokens. Each further lane is four times as long, and costs a run per round. */
const SHORTEST = 2048;
const GROWTH = 4;

/**
 * The least bytes of keys and values per position for which the model's graph gets the nodes that store a prefix shared by
 * several slots only once: with fewer bytes, the saved memory is not worth the time of these nodes.
 */
const WORTH_SHARING = 1 << 14;

export class Lane {
  /** Slots that no answer uses, the least recently used one first. */
  readonly #free: number[];

  private constructor(
    readonly episodes: Episodes,
    /** The longest context of this lane, in tokens. */
    readonly positions: number,
    private readonly slots: number,
    /** Whether the keys and values of free slots are also kept in a prefix pool. */
    private readonly isPooled: boolean,
  ) {
    this.#free = Array.from({ length: slots }, (_, slot) => slot);
  }

  /** Opens lanes of growing context lengths, up to the model's own, with a slot for each simultaneous answer. */
  static async openAll(model: LanguageModel, slots: number, pool: PrefixPool | undefined): Promise<Lane[]> {
    const lanes: Lane[] = [];
    const { layers, keyValueHeads, headSize } = model.architecture;
    const sharesPrefixes = slots > 1 && 2 * 4 * layers * keyValueHeads * headSize >= WORTH_SHARING;
    for (let positions = SHORTEST; ; positions *= GROWTH) {
      const contextLength = Math.min(positions, model.contextLength);
      const episodes = await model.openEpisodes({
        slots,
        contextLength,
        sharesSampler: true,
        drawsPerToken: true,
        sharesPrefixes,
        pool,
      });
      lanes.push(new Lane(episodes, contextLength, slots, pool !== undefined));
      if (positions >= model.contextLength) return lanes;
    }
  }

  /**
   * Reserves a free slot for an answer, and keeps the prefix that the slot's context shares with the prompt. It prefers the slot
   * with the longest common prefix, or the least recently used slot where prefixes can be copied from other slots.
   */
  take(promptIds: readonly number[], adapter: LoadedAdapter | null): number {
    // A prefix is reused only with the same adapter, since keys and values depend on the adapter that computed them.
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

  /** Frees slots. Their keys and values stay in the pool, if there is one, and in the slots until these are reserved again. */
  async giveBack(slots: readonly number[]): Promise<void> {
    try {
      await this.episodes.retain(slots);
    } catch {
      for (const slot of slots) this.episodes.truncate(slot, 0); // the error is ignored, since the next answer reports a broken device
    }
    this.#free.push(...slots);
  }

  /**
   * Truncates the contexts of free slots to the longest context in use, since the model reads all rows of the cache up to the
   * longest one. The pool keeps the truncated keys and values.
   */
  shorten(): void {
    if (!this.isPooled || this.#free.length === this.slots) return;
    const free = new Set(this.#free);
    const used = Array.from({ length: this.slots }, (_, slot) => slot).filter((slot) => !free.has(slot));
    const longest = maximum(used.map((slot) => this.episodes.length(slot)));
    for (const slot of free) if (this.episodes.length(slot) > longest) this.episodes.truncate(slot, longest);
  }

  /** Empties the free slots after a change of the weights, since their keys and values were computed with the old weights. */
  forget(): void {
    for (const slot of this.#free) this.episodes.truncate(slot, 0);
  }
}
