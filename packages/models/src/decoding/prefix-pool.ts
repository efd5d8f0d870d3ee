// Keys and values of beginnings of texts that are kept when their slots take other texts, for all caches of a model.
import type { Device, Kernel, State } from '@bowyer/graph';
import type { CausalArchitecture } from '../architecture/architecture.js';
import type { CacheGeometry } from './cache-rows.js';
import { BLOCK_TOKENS, PrefixTree } from './prefix-tree.js';

/** A block of the pool, and where in which row of a cache it is copied from or to. */
interface BlockCopy {
  block: number;
  row: number;
  start: number;
}

/** A cache as the copying kernel needs it. */
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
  /** Blocks of each of the pool's arrays but the last. */
  blocksPerArray: number;
  /** Numbers of a block. */
  blockSize: number;
}

/** Larger arrays are several. */
const LARGEST_ARRAY = 2 ** 30;

export class PrefixPool {
  readonly #tree: PrefixTree;
  readonly #readers = new WeakMap<object, number>();
  #lastReader = 0;

  private constructor(
    private readonly device: Device,
    private readonly state: State,
    private readonly kernel: Kernel<CopyBlocksArgs, { capacities: Int32Array }>,
    private readonly layout: { blocks: number; blocksPerArray: number; blockSize: number },
  ) {
    this.#tree = new PrefixTree(layout.blocks);
  }

  /**
   * Reserves the blocks.
   *
   * @returns null where not a single block fits into the bytes
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
    const kernel = await device.loadKernel<CopyBlocksArgs, { capacities: Int32Array }>({
      module,
      name: 'copyPoolBlocks',
    });
    return new PrefixPool(device, state, kernel, { blocks, blocksPerArray, blockSize });
  }

  /** Counts the tokens that there is room for. */
  get tokens(): number {
    return this.layout.blocks * BLOCK_TOKENS;
  }

  /** Finds the blocks with the longest kept prefix of a text. @param reader the adapter that has read it; null: the base alone */
  find(tokens: readonly number[], reader: object | null = null): number[] {
    return this.#tree.find(tokens, this.#numberOf(reader));
  }

  /** Keeps the beginnings of texts whose keys and values rows of a cache have. */
  async save(
    cache: PooledCache,
    texts: readonly { row: number; tokens: readonly number[]; reader: object | null }[],
  ): Promise<void> {
    // The order counts: a later text may take over a block of an earlier one, whose copy its own then overwrites.
    const copies = texts.flatMap(({ row, tokens, reader }) =>
      this.#tree.keep(tokens, this.#numberOf(reader)).map(({ index, start }) => ({ block: index, row, start })),
    );
    if (copies.length > 0) await this.#copy(cache, 'save', copies);
  }

  /** Fills positions of rows with blocks. @param cache `lengths` as they are afterwards @returns the capacities that this takes */
  async load(cache: PooledCache, copies: readonly BlockCopy[]): Promise<{ capacities: Int32Array }> {
    return this.#copy(cache, 'load', copies);
  }

  /** Numbers an adapter. One that was unloaded never comes back: its blocks are those that are used longest ago. */
  #numberOf(reader: object | null): number {
    if (reader === null) return 0;
    const number = this.#readers.get(reader) ?? ++this.#lastReader;
    this.#readers.set(reader, number);
    return number;
  }

  /** Empties the pool: the weights have changed, so nothing that was kept is true any more. */
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
  ): Promise<{ capacities: Int32Array }> {
    const { blocksPerArray, blockSize } = this.layout;
    const args = { geometry, lengths, direction, copies, blocksPerArray, blockSize };
    try {
      return await this.kernel.call({ states: { cache: state, pool: this.state }, args });
    } catch (error) {
      this.clear(); // what the blocks contain is no longer certain
      throw error;
    }
  }
}
