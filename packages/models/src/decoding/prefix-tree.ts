// Finds the pooled prefix of a text in a tree of blocks of tokens. Texts with a common prefix share its blocks, and the least
// recently used block is evicted when a new one is needed.
// Source: Zheng et al. 2024, SGLang's RadixAttention (arXiv:2312.07104, section 3), but with vLLM's blocks of a fixed number of
// tokens (Kwon et al. 2023, arXiv:2309.06180) instead of edges of any length.

/** The number of tokens in a block; tokens that do not fill a block are not pooled. */
export const BLOCK_TOKENS = 32;

interface Block {
  index: number;
  /** The block's token ids joined to a string, which is its key in `siblings`. */
  key: string;
  siblings: Map<string, Block>;
  next: Map<string, Block>;
}

/** A block that was added to the tree, into which the caller must copy the keys and values of the tokens from `start` on. */
interface NewBlock {
  index: number;
  start: number;
}

export class PrefixTree {
  readonly #first = new Map<string, Block>();
  /** The blocks, least recently used first; a block comes after its children, so that the first has none and can be evicted. */
  readonly #byUse = new Set<Block>();
  #free: number[] = [];

  /** @param blocks the number of blocks, whose indices are 0 to `blocks` − 1 */
  constructor(readonly blocks: number) {
    this.clear();
  }

  get used(): number {
    return this.blocks - this.#free.length;
  }

  /**
   * Finds the blocks with the longest pooled prefix, and marks them as used; texts of different adapters (`reader`) share none.
   */
  find(tokens: readonly number[], reader = 0): number[] {
    const path = this.#path(tokens, reader);
    this.#touch(path);
    return path.map(({ index }) => index);
  }

  /** Adds blocks for a text's first tokens as far as there is room; the caller copies keys and values into the returned ones. */
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

  /** Marks the blocks of a path from the root as used now, children before parents (see `#byUse`). */
  #touch(path: readonly Block[]): void {
    for (const block of [...path].reverse()) {
      this.#byUse.delete(block);
      this.#byUse.add(block);
    }
  }

  /** Evicts the least recently used block. @returns its index; undefined if all blocks belong to `path` */
  #evict(path: readonly Block[]): number | undefined {
    const [oldest] = this.#byUse;
    if (!oldest || path.includes(oldest)) return undefined;
    this.#byUse.delete(oldest);
    oldest.siblings.delete(oldest.key);
    return oldest.index;
  }
}

/** Only a text's first block has the adapter's number in its key, since later blocks are found through it. */
const keyOf = (tokens: readonly number[], start: number, reader: number): string =>
  `${start === 0 ? `${reader}:` : ''}${tokens.slice(start, start + BLOCK_TOKENS).join()}`;
