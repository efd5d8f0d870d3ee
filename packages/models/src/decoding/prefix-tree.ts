// Finds pooled prefixes in a tree of blocks of tokens. Texts with a common prefix share blocks, and the least recently used block is
// evicted.
// Source: Zheng et al. 2024, SGLang's RadixAttention (arXiv:2312.07104, section 3), but with vLLM's blocks of a fixed number of
// tokens (Kwon et al. 2023, arXiv:2309.06180) instead of edges of any length.

/** The number of tokens in a block; an incomplete block is not kept. */
export const BLOCK_TOKENS = 32;

interface Block {
  index: number;
  /** The block's tokens as text, its key in `siblings`. */
  key: string;
  siblings: Map<string, Block>;
  next: Map<string, Block>;
}

/** A block that must be filled with the keys and values of the tokens from `start` on. */
interface NewBlock {
  index: number;
  start: number;
}

/** Maps token sequences to blocks of the pool. */
export class PrefixTree {
  readonly #first = new Map<string, Block>();
  /** Blocks in the order of their last use, the least recent first. A block comes after its children, so the first block has none. */
  readonly #byUse = new Set<Block>();
  #free: number[] = [];

  /**
   * Makes an empty tree.
   *
   * @param blocks the number of blocks; their indices are 0 to `blocks` − 1
   */
  constructor(readonly blocks: number) {
    this.clear();
  }

  /** Counts the blocks that are in use. */
  get used(): number {
    return this.blocks - this.#free.length;
  }

  /**
   * Finds the indices of the blocks with the longest kept prefix of the tokens, and marks them as used.
   *
   * @param reader the number of the adapter that reads the tokens; texts of different readers share no blocks
   */
  find(tokens: readonly number[], reader = 0): number[] {
    const path = this.#path(tokens, reader);
    this.#touch(path);
    return path.map(({ index }) => index);
  }

  /**
   * Adds blocks for the beginning of the tokens, as far as there is room.
   *
   * @returns the new blocks, which must be filled
   */
  keep(tokens: readonly number[], reader = 0): NewBlock[] {
    const path = this.#path(tokens, reader);
    const known = path.length;
    this.#touch(path);
    for (let start = known * BLOCK_TOKENS; start + BLOCK_TOKENS <= tokens.length; start += BLOCK_TOKENS) {
      const index = this.#free.pop() ?? this.#evict(path);
      if (index === undefined) break;
      const siblings = path.at(-1)?.next ?? this.#first;
      const block = { index, key: keyOf(tokens, start, reader), siblings, next: new Map() };
      siblings.set(block.key, block);
      path.push(block);
    }
    this.#touch(path);
    return path.slice(known).map(({ index }, i) => ({ index, start: (known + i) * BLOCK_TOKENS }));
  }

  clear(): void {
    this.#first.clear();
    this.#byUse.clear();
    this.#free = Array.from({ length: this.blocks }, (_, i) => this.blocks - 1 - i);
  }

  #path(tokens: readonly number[], reader: number): Block[] {
    const path: Block[] = [];
    for (let start = 0; start + BLOCK_TOKENS <= tokens.length; start += BLOCK_TOKENS) {
      const block = (path.at(-1)?.next ?? this.#first).get(keyOf(tokens, start, reader));
      if (!block) break;
      path.push(block);
    }
    return path;
  }

  /** Marks blocks as used now, children before parents (see `#byUse`). */
  #touch(path: readonly Block[]): void {
    for (const block of [...path].reverse()) {
      this.#byUse.delete(block);
      this.#byUse.add(block);
    }
  }

  /**
   * Evicts the least recently used block.
   *
   * @returns undefined if all blocks belong to `path`
   */
  #evict(path: readonly Block[]): number | undefined {
    const [oldest] = this.#byUse;
    if (!oldest || path.includes(oldest)) return undefined;
    this.#byUse.delete(oldest);
    oldest.siblings.delete(oldest.key);
    return oldest.index;
  }
}

/** Makes a block's key among its siblings. Only that of a first block names the reader; later blocks are found through it. */
const keyOf = (tokens: readonly number[], start: number, reader: number): string =>
  `${start === 0 ? `${reader}:` : ''}${tokens.slice(start, start + BLOCK_TOKENS).join()}`;
