// Keeps the keys and values of prefixes after their slots were reused for other texts, for all caches of a model.
import type { Device, Kernel, State } from '@bowyer/graph';
import type { CausalArchitecture } from '../architecture/architecture.js';
import type { CacheGeometry, SharedPositions } from './cache-rows.js';
import { BLOCK_TOKENS, PrefixTree } from './prefix-tree.js';

/** A block of the pool, and the row and position of a cache that it is copied from or to. */
interface BlockCopy {
  block: number;
  row: number;
  start: number;
}

/** The cache in the form that the copying kernel needs. */
export interface PooledCache {
  state: State;
  geometry: CacheGeometry;
  /** [rows] positions in use. */
  lengths: Int32Array;
}

export interface CopyBlocksArgs {
  geometry: CacheGeometry;
  lengths: Int32Array;
  direction: 'save' | 'load';
  copies: readonly BlockCopy[];
  /** Blocks per array; the last array may have fewer. */
  blocksPerArray: number;
  /** The number of elements of a block. */
  blockSize: number;
}

/** The layout of the cache's rows after a copy. */
export interface CopyBlocksResult {
  capacities: Int32Array;
  shared?: SharedPositions;
}

/** The most elements of one array; a larger pool has several. */
const LARGEST_ARRAY = 2 ** 30;

/** Holds blocks of keys and values, and the tree that finds them by their tokens. */
export class PrefixPool {
  readonly #tree: PrefixTree;
  readonly #readers = new WeakMap<object, number>();
  #lastReader = 0;

  private constructor(
    private readonly device: Device,
    private readonly state: State,
    private readonly kernel: Kernel<CopyBlocksArgs, CopyBlocksResult>,
    private readonly layout: { blocks: number; blocksPerArray: number; blockSize: number },
  ) {
    this.#tree = new PrefixTree(layout.blocks);
  }

  /**
   * Reserves the blocks.
   *
   * @returns null if not a single block fits into `bytes`
   */
  static async open(
    device: Device,
    { keyValueHeads, headSize }: CausalArchitecture,
    { arrays, bytes }: { arrays: number; bytes: number },
  ): Promise<PrefixPool | null> {
    const blockSize = arrays * keyValueHeads * headSize * BLOCK_TOKENS;
    const blockBytes = blockSize * (device.precision === 'float16' ? 2 : 4);
    const blocks = Math.floor(bytes / blockBytes);
    if (blocks === 0) return null;
    const blocksPerArray = Math.max(1, Math.floor(LARGEST_ARRAY / blockBytes));
    const lengths = Array.from({ length: Math.ceil(blocks / blocksPerArray) }, (_, i) =>
      Math.min(blocksPerArray, blocks - i * blocksPerArray),
    );
    const state = await device.createZeros(
      Object.fromEntries(
        lengths.map((length, i) => [`blocks.${i}`, { shape: [length * blockSize], dtype: device.precision }]),
      ),
    );
    const module = new URL('./prefix-pool-kernel.js', import.meta.url);
    const kernel = await device.loadKernel<CopyBlocksArgs, CopyBlocksResult>({
      module,
      name: 'copyPoolBlocks',
    });
    return new PrefixPool(device, state, kernel, { blocks, blocksPerArray, blockSize });
  }

  /** Counts the tokens that the pool has room for. */
  get tokens(): number {
    return this.layout.blocks * BLOCK_TOKENS;
  }

  /**
   * Finds the blocks with the longest pooled prefix of a text.
   *
   * @param reader the adapter with which the text is read; null: the base model alone
   */
  find(tokens: readonly number[], reader: object | null = null): number[] {
    return this.#tree.find(tokens, this.#numberOf(reader));
  }

  /** Stores the beginnings of texts whose keys and values are in rows of a cache. */
  async save(
    cache: PooledCache,
    texts: readonly { row: number; tokens: readonly number[]; reader: object | null }[],
  ): Promise<void> {
    // The order matters: a later text may evict a block of an earlier one, and must then be copied after it.
    const copies = texts.flatMap(({ row, tokens, reader }) =>
      this.#tree.keep(tokens, this.#numberOf(reader)).map(({ index, start }) => ({ block: index, row, start })),
    );
    if (copies.length > 0) await this.#copy(cache, 'save', copies);
  }

  /**
   * Copies blocks into positions of rows.
   *
   * @param cache with the `lengths` after the copy
   * @returns the new layout of the rows
   */
  async load(cache: PooledCache, copies: readonly BlockCopy[]): Promise<CopyBlocksResult> {
    return this.#copy(cache, 'load', copies);
  }

  /** Returns the number of an adapter. Numbers of unloaded adapters are not reused, so that their blocks are evicted in time. */
  #numberOf(reader: object | null): number {
    if (reader === null) return 0;
    const number = this.#readers.get(reader) ?? ++this.#lastReader;
    this.#readers.set(reader, number);
    return number;
  }

  /** Empties the pool after a change of the weights. */
  clear(): void {
    this.#tree.clear();
  }

  async close(): Promise<void> {
    await this.device.release(this.state);
  }

  async #copy(
    { state, geometry, lengths }: PooledCache,
    direction: 'save' | 'load',
    copies: readonly BlockCopy[],
  ): Promise<CopyBlocksResult> {
    const { blocksPerArray, blockSize } = this.layout;
    const args = { geometry, lengths, direction, copies, blocksPerArray, blockSize };
    try {
      return await this.kernel.call({ states: { cache: state, pool: this.state }, args });
    } catch (error) {
      this.clear(); // the contents of the blocks are unknown after an error
      throw error;
    }
  }
}
