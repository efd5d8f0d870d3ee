// Keeps the keys and values of text prefixes after the slots that computed them were reused for other texts. All KV caches of a
// model can share one pool.
import type { Device, Kernel, State } from '@bowyer/graph';
import type { CausalArchitecture } from '../architecture/architecture.js';
import type { CacheGeometry, SharedPositions } from './cache-rows.js';
import { BLOCK_TOKENS, PrefixTree } from './prefix-tree.js';

/** A copy between a block of the pool and a row of a cache, from the position `start` on. */
interface BlockCopy {
  block: number;
  row: number;
  start: number;
}

/** The KV cache between which and the pool blocks are copied, in the form that the copying kernel needs. */
export interface PooledCache {
  state: State;
  geometry: CacheGeometry;
  /** [rows] the number of positions in use. */
  lengths: Int32Array;
}

export interface CopyBlocksArgs {
  geometry: CacheGeometry;
  lengths: Int32Array;
  direction: 'save' | 'load';
  copies: readonly BlockCopy[];
  /** The number of blocks per array; the last array may have fewer. */
  blocksPerArray: number;
  /** The number of elements (keys and values of all layers) of a block. */
  blockSize: number;
}

/** The layout of the cache's rows after blocks were copied. */
export interface CopyBlocksResult {
  capacities: Int32Array;
  shared?: SharedPositions;
}

/** The most elements of one array; a larger pool has several arrays. */
const LARGEST_ARRAY = 2 ** 30;

/** Holds blocks of keys and values, and the tree by which they are found for given tokens. */
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

  /** Returns null if not a single block fits into `bytes`. */
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

  /** Counts the tokens for whose keys and values the pool has room. */
  get tokens(): number {
    return this.layout.blocks * BLOCK_TOKENS;
  }

  /**
   * Finds the blocks that contain the longest pooled prefix of a text.
   *
   * @param reader the adapter with which the text is read, since keys and values depend on it; null: the base model alone
   */
  find(tokens: readonly number[], reader: object | null = null): number[] {
    return this.#tree.find(tokens, this.#numberOf(reader));
  }

  /** Copies the first tokens' keys and values of texts from the rows of a cache to the pool. */
  async save(
    cache: PooledCache,
    texts: readonly { row: number; tokens: readonly number[]; reader: object | null }[],
  ): Promise<void> {
    // The blocks are copied in this order, since a later text may evict the block of an earlier one and must then overwrite it.
    const copies = texts.flatMap(({ row, tokens, reader }) =>
      this.#tree.keep(tokens, this.#numberOf(reader)).map(({ index, start }) => ({ block: index, row, start })),
    );
    if (copies.length > 0) await this.#copy(cache, 'save', copies);
  }

  /** Copies blocks into rows of a cache, whose `lengths` are those after the copy. @returns the new layout of the rows */
  async load(cache: PooledCache, copies: readonly BlockCopy[]): Promise<CopyBlocksResult> {
    return this.#copy(cache, 'load', copies);
  }

  /** The tree's number of an adapter; never reused, so that an unloaded adapter's blocks are not found, and evicted in time. */
  #numberOf(reader: object | null): number {
    if (reader === null) return 0;
    const number = this.#readers.get(reader) ?? ++this.#lastReader;
    this.#readers.set(reader, number);
    return number;
  }

  /** Empties the pool, which must happen after a change of the weights. */
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
