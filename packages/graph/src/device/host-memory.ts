// Where the host keeps the large tensors that it makes itself (gradients, moments, caches): in WebAssembly memories, so that loops
// in WebAssembly work on them in place. ONNX Runtime reads and writes typed arrays on them like any others, without a copy.
import { arrayTypes, type DataType, type TensorArray } from '../dtype.js';
import { DeviceError } from '../errors.js';

/** What is used of a global that neither ES2023 nor @types/node declares. */
declare const WebAssembly: { Memory: new (limits: { initial: number }) => WasmMemory };

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** Smaller tensors are ordinary arrays. */
const LEAST_BYTES = 1 << 16;
/** All that 32 bits can address, since growing would cut the arrays off; pages that nobody has touched take no memory. */
const MEMORY_BYTES = 2 ** 32;
/** A block may be read up to its next multiple of this, so that loops need no ragged end. */
const ALIGNMENT = 64;
/** The beginning of each memory is for what loops need beside the tensors (see `wasmMemoryOf`). */
export const LOOP_BYTES = 1 << 20;

const memoryOfBuffer = new WeakMap<ArrayBufferLike, WasmMemory>();

/**
 * The WebAssembly memory that an array of a state lies in, if it is in one. Its first `LOOP_BYTES` are free for whoever
 * works on it at the moment; behind the array there are zeros up to the next multiple of 64 bytes.
 */
export const wasmMemoryOf = (array: TensorArray): WasmMemory | undefined => memoryOfBuffer.get(array.buffer);

interface Block {
  begin: number;
  end: number;
}

interface BlockedMemory {
  memory: WasmMemory;
  blocks: Block[];
  /** Beyond it no block has ever been: zeros, whose pages take no memory until they are written. */
  used: number;
}

export class HostMemory {
  readonly #memories: BlockedMemory[] = [];

  /** Zeros. */
  allocate(dtype: DataType, length: number): TensorArray {
    const type = arrayTypes[dtype];
    const bytes = length * type.BYTES_PER_ELEMENT;
    const needed = Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    if (bytes < LEAST_BYTES || needed > MEMORY_BYTES - LOOP_BYTES) return new type(length);
    for (const place of this.#memories) {
      const { memory, blocks, used } = place;
      const at = firstGap(blocks, needed);
      if (at === undefined) continue;
      const begin = at === 0 ? LOOP_BYTES : blocks[at - 1]!.end;
      const end = begin + needed;
      blocks.splice(at, 0, { begin, end });
      if (begin < used) new Uint8Array(memory.buffer, begin, Math.min(end, used) - begin).fill(0);
      place.used = Math.max(used, end);
      return new type(memory.buffer, begin, length);
    }
    const memory = newMemory();
    memoryOfBuffer.set(memory.buffer, memory);
    const end = LOOP_BYTES + needed;
    this.#memories.push({ memory, blocks: [{ begin: LOOP_BYTES, end }], used: end });
    return new type(memory.buffer, LOOP_BYTES, length);
  }

  /** Gives a block back; an array that lies elsewhere is the garbage collector's. A memory without blocks is let go. */
  free(array: TensorArray): void {
    const i = this.#memories.findIndex(({ memory }) => memory.buffer === array.buffer);
    if (i < 0) return;
    const { blocks } = this.#memories[i]!;
    blocks.splice(
      blocks.findIndex(({ begin }) => begin === array.byteOffset),
      1,
    );
    if (blocks.length === 0) this.#memories.splice(i, 1);
  }
}

/** Before which block (in the order of their places) there is room; undefined if nowhere. */
function firstGap(blocks: readonly Block[], needed: number): number | undefined {
  for (let i = 0; i <= blocks.length; i++) {
    const begin = i === 0 ? LOOP_BYTES : blocks[i - 1]!.end;
    const end = i === blocks.length ? MEMORY_BYTES : blocks[i]!.begin;
    if (end - begin >= needed) return i;
  }
  return undefined;
}

function newMemory(): WasmMemory {
  try {
    return new WebAssembly.Memory({ initial: MEMORY_BYTES / 65_536 });
  } catch (error) {
    throw new DeviceError(
      `no room for another ${MEMORY_BYTES / 2 ** 30} GiB of tensors (${(error as Error).message}); release models or optimizers that are not needed, or allow the process more address space (ulimit -v)`,
    );
  }
}
