// Runs WebAssembly loops over arrays: in place if all arrays are in one WebAssembly memory; else chunks of the arrays are copied
// to the memory's first bytes, which stay in the CPU's cache, and back. Copying costs less than a scalar loop in V8.
import { LOOP_BYTES, wasmMemoryOf, type TensorArray, type WasmMemory } from '@bowyer/graph';
import { assembleModule, type FunctionSource } from './simd-assembler.js';

/** Declares the members of the global WebAssembly that are used here, since neither ES2023 nor @types/node declares it. */
declare const WebAssembly: {
  Memory: new (limits: { initial: number }) => WasmMemory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: { env: { memory: WasmMemory } }) => { exports: unknown };
};

/** The number of elements in a chunk of copied arrays, a multiple of 256. */
const CHUNK = 16_384;
const CHUNK_BYTES = CHUNK * 4;
/** The address at which the chunks of copied arrays begin; the bytes before it are for tables. */
const TABLE_BYTES = LOOP_BYTES / 2;

interface LoopArray {
  array: TensorArray;
  /** The number of elements of the other arrays that correspond to one of this array: 256 for the scales of blocks; 1 if not given. */
  per?: number;
  /** Whether the loop only writes the array, so that it is not copied in. */
  writesOnly?: boolean;
  /** Whether the loop only reads the array, so that it is not copied back. */
  readsOnly?: boolean;
}

/** Compiles WebAssembly functions that are loops over arrays, and runs them. */
export class Loops<Exports> {
  readonly #module: object;
  readonly #instances = new WeakMap<WasmMemory, Exports>();
  /** The memory to which chunks are copied if none of the arrays is in a WebAssembly memory. */
  #own?: WasmMemory;

  /** @param prepare fills the first `TABLE_BYTES` of a memory with the tables of the loops, before each use of the memory */
  constructor(
    functions: readonly FunctionSource[],
    private readonly prepare?: (memory: WasmMemory) => void,
  ) {
    this.#module = new WebAssembly.Module(assembleModule(functions));
  }

  /**
   * Calls `run` with a number of elements and the address of each array: once if all arrays are in one memory, else for each chunk.
   * The loop may read and write beyond the elements, up to the next multiple of 16 bytes; a loop that sums may read up to the next
   * multiple of 64 bytes, which contains zeros.
   *
   * @param length the number of elements of each array
   */
  over(
    length: number,
    arrays: readonly LoopArray[],
    run: (loops: Exports, count: number, ...addresses: number[]) => void,
  ): void {
    const memory = arrays.map(({ array }) => wasmMemoryOf(array)).find((found) => found) ?? this.#ownMemory();
    const loops = this.#instance(memory);
    this.prepare?.(memory);
    const parts = arrays.map((each, i) => ({
      ...each,
      per: each.per ?? 1,
      isHere: each.array.buffer === memory.buffer,
      copy: TABLE_BYTES + i * CHUNK_BYTES,
    }));
    const step = parts.every(({ isHere }) => isHere) ? length : CHUNK;
    for (let begin = 0; begin < length; begin += step) {
      const count = Math.min(step, length - begin);
      const chunks = parts.map(({ array, per, isHere, copy }) => {
        if (isHere) return array;
        const elements = Math.ceil(count / per);
        return new (array.constructor as Float32ArrayConstructor)(memory.buffer, copy, elements);
      });
      parts.forEach(({ array, per, isHere, writesOnly, copy }, i) => {
        if (isHere || writesOnly) return;
        (chunks[i] as Float32Array).set(part(array, begin / per, chunks[i].length));
        const end = copy + chunks[i].byteLength;
        new Uint8Array(memory.buffer, end, -end & 63).fill(0);
      });
      const addresses = parts.map(({ array, per, isHere, copy }) =>
        isHere ? array.byteOffset + (begin / per) * array.BYTES_PER_ELEMENT : copy,
      );
      run(loops, count, ...addresses);
      parts.forEach(({ array, per, isHere, readsOnly }, i) => {
        if (!isHere && !readsOnly) (array as Float32Array).set(chunks[i] as Float32Array, begin / per);
      });
    }
  }

  #ownMemory(): WasmMemory {
    return (this.#own ??= new WebAssembly.Memory({ initial: LOOP_BYTES / 65_536 }));
  }

  #instance(memory: WasmMemory): Exports {
    let instance = this.#instances.get(memory);
    if (!instance) {
      instance = new WebAssembly.Instance(this.#module, { env: { memory } }).exports as Exports;
      this.#instances.set(memory, instance);
    }
    return instance;
  }
}

const part = (array: TensorArray, begin: number, length: number) =>
  begin === 0 && length === array.length
    ? (array as Float32Array)
    : (array as Float32Array).subarray(begin, begin + length);
