// Which beginnings of texts are kept, as a tree of blocks of tokens: texts that begin alike share blocks, and the block that was used
// longest ago makes room. Source: Zheng et al. 2024, SGLang's RadixAttention (arXiv:2312.07104, section 3), with vLLM's blocks of a
// fixed number of tokens (Kwon et al. 2023, arXiv:2309.06180) in the place of edges of any length.

/** Tokens of a block; fewer are not kept. */
export const BLOCK_TOKENS = 32;

interface Block {
  index: number;
  /** The block's tokens as text: its name among those that continue the same block. */
  key: string;
  siblings: Map<string, Block>;
  next: Map<string, Block>;
}

/** A block to fill with what belongs to the text's tokens from `start` on. */
interface NewBlock {
  index: number;
  start: number;
}

export class PrefixTree {
  readonly #first = new Map<string, Block>();
  /** The least recently used one first; a block comes behind all that continue it, so that the first one has none. */
  readonly #byUse = new Set<Block>();
  #free: number[] = [];

  /** Makes a tree without tokens. @param blocks how many there are; their indices are 0 to `blocks` − 1 */
  constructor(readonly blocks: number) {
    this.clear();
  }

  /** Counts the blocks that are in use. */
  get used(): number {
    return this.blocks - this.#free.length;
  }

  /**
   * Finds the blocks with the longest kept prefix of the tokens, as indices. They count as used now.
   *
   * @param reader number of what has read the tokens: texts of different ones share nothing
   */
  find(tokens: readonly number[], reader = 0): number[] {
    const path = this.#path(tokens, reader);
    this.#touch(path);
    return path.map(({ index }) => index);
  }

  /** Keeps as much of the tokens' beginning as there is room for. @returns the blocks that must be filled */
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

  /** Keeps nothing any more. */
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

  /** Marks blocks as used now, the last one first: see `#byUse`. */
  #touch(path: readonly Block[]): void {
    for (const block of [...path].reverse()) {
      this.#byUse.delete(block);
      this.#byUse.add(block);
    }
  }

  /**
   * Frees the block that was used longest ago.
   *
   * @returns undefined where all blocks are of the text that needs one
   */
  #evict(path: readonly Block[]): number | undefined {
    const [oldest] = this.#byUse;
    if (!oldest || path.includes(oldest)) return undefined;
    this.#byUse.delete(oldest);
    oldest.siblings.delete(oldest.key);
    return oldest.index;
  }
}

/** Makes a block's key. Later blocks are found through the first one. */
const keyOf = (tokens: readonly number[], start: number, reader: number): string =>
  `${start === 0 ? `${reader}:` : ''}${tokens.slice(start, start + BLOCK_TOKENS).join()}`;
