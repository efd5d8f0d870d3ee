// Allocates the large tensors that a device on the CPU creates itself (gradients, moments, caches) in WebAssembly memories, so
// that loops written in WebAssembly, such as those of optimizers, work on them in place. ONNX Runtime reads and writes typed
// arrays on these memories like any others, without a copy.
import { freeMemory } from '@bowyer/core';
import { arrayTypes, type DataType, type TensorArray } from '../dtype.js';
import { DeviceError } from '../errors.js';

/** Declares what is used of the global WebAssembly; neither ES2023 nor @types/node declares it. */
declare const WebAssembly: { Memory: new (limits: { initial: number }) => WasmMemory };

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** The least size of a tensor that is placed in a WebAssembly memory; smaller ones are ordinary arrays. */
const LEAST_BYTES = 1 << 16;
/** The size of a WebAssembly memory: all 32-bit addresses, since growing detaches its arrays; unwritten pages take no memory. */
const MEMORY_BYTES = 2 ** 32;
/** The size of a tensor's block is a multiple of this, so that vectorized loops need no scalar remainder. */
const ALIGNMENT = 64;
/** The size of the scratch space for WebAssembly loops at the beginning of each memory (see `wasmMemoryOf`). */
export const LOOP_BYTES = 1 << 20;

const memoryOfBuffer = new WeakMap<ArrayBufferLike, WasmMemory>();

/**
 * Returns the WebAssembly memory that contains an array of a state; undefined for an ordinary array. The memory's first
 * `LOOP_BYTES` are scratch space for the WebAssembly loop that is running; the array is followed by zeros up to the next multiple
 * of 64 bytes.
 */
export const wasmMemoryOf = (array: TensorArray): WasmMemory | undefined => memoryOfBuffer.get(array.buffer);

interface Block {
  begin: number;
  end: number;
}

interface BlockedMemory {
  memory: WasmMemory;
  blocks: Block[];
  /** The address from which on no byte was ever used; these are zeros, and their pages take no memory until they are written. */
  used: number;
}

export class HostMemory {
  readonly #memories: BlockedMemory[] = [];

  /** Allocates an array of zeros. */
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
      if (begin < used) setToZero(memory.buffer, begin, Math.min(end, used));
      place.used = Math.max(used, end);
      return new type(memory.buffer, begin, length);
    }
    const memory = newMemory();
    memoryOfBuffer.set(memory.buffer, memory);
    const end = LOOP_BYTES + needed;
    this.#memories.push({ memory, blocks: [{ begin: LOOP_BYTES, end }], used: end });
    return new type(memory.buffer, LOOP_BYTES, length);
  }

  /** Frees an array's block, and a memory without blocks. An array outside WebAssembly memories is emptied if it is large. */
  free(array: TensorArray): void {
    const i = this.#memories.findIndex(({ memory }) => memory.buffer === array.buffer);
    if (i < 0) {
      if (array.byteLength >= LEAST_BYTES) freeMemory(array);
      return;
    }
    const { blocks } = this.#memories[i]!;
    blocks.splice(
      blocks.findIndex(({ begin }) => begin === array.byteOffset),
      1,
    );
    if (blocks.length === 0) this.#memories.splice(i, 1);
  }
}

/** Returns the index of the block (sorted by address) before which a gap has `needed` bytes; undefined if there is none. */
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
      `no space for another ${MEMORY_BYTES / 2 ** 30} GiB of tensors (${(error as Error).message}); release models or optimizers that are not needed, or allow the process more address space (ulimit -v)`,
    );
  }
}

/** The number of bytes that `setToZero` reads, and writes if necessary, at a time. */
const PIECE_BYTES = 1 << 16;

/** Sets bytes to zero without writing zeros again: reading unwritten pages, such as most of a long KV cache, takes no memory. */
function setToZero(buffer: ArrayBuffer, begin: number, end: number): void {
  for (let at = begin; at < end; at += PIECE_BYTES) {
    const piece = new Int32Array(buffer, at, (Math.min(at + PIECE_BYTES, end) - at) / 4);
    let i = 0;
    while (i < piece.length && piece[i] === 0) i++;
    if (i < piece.length) piece.fill(0);
  }
}
