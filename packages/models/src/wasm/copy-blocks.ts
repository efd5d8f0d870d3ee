// Copies short blocks to addresses that are far apart, in WebAssembly SIMD. A decoding step writes one key and one value per
// batch row and head to the KV cache, outside the CPU's caches; a loop with few instructions overlaps many of these accesses.
import { LOOP_BYTES, wasmMemoryOf, type WasmMemory } from '@bowyer/graph';
import {
  addI32,
  assembleModule,
  constI32,
  load,
  local,
  loopBy,
  setLocal,
  store,
  type FunctionSource,
} from './simd-assembler.js';

/** Declares the members of the global WebAssembly that are used here, since neither ES2023 nor @types/node declares it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: { env: { memory: WasmMemory } }) => { exports: unknown };
};

const [SOURCE, END, TARGET, BYTES, STRIDE, OFFSET] = [0, 1, 2, 3, 4, 5];

/**
 * Declares copy_blocks(source, end, target, bytes, stride), which copies the consecutive blocks of `bytes` bytes between the
 * addresses source and end to addresses that are `stride` bytes apart, beginning at target.
 */
const copyBlocks: FunctionSource = {
  name: 'copy_blocks',
  params: ['i32', 'i32', 'i32', 'i32', 'i32'],
  locals: ['i32'],
  // The step is 0, since the body itself advances SOURCE by a block.
  body: loopBy(0, SOURCE, local(END), [
    ...setLocal(OFFSET, constI32(0)),
    ...loopBy(
      16,
      OFFSET,
      local(BYTES),
      store(addI32(local(TARGET), local(OFFSET)), load(addI32(local(SOURCE), local(OFFSET)))),
    ),
    ...setLocal(SOURCE, addI32(local(SOURCE), local(BYTES))),
    ...setLocal(TARGET, addI32(local(TARGET), local(STRIDE))),
  ]),
};

interface Exports {
  copy_blocks(source: number, end: number, target: number, bytes: number, stride: number): void;
}

let compiled: object | undefined;
const instances = new WeakMap<WasmMemory, Exports>();

function instanceOf(memory: WasmMemory): Exports {
  let exports = instances.get(memory);
  if (!exports) {
    compiled ??= new WebAssembly.Module(assembleModule([copyBlocks]));
    exports = new WebAssembly.Instance(compiled, { env: { memory } }).exports as Exports;
    instances.set(memory, exports);
  }
  return exports;
}

/**
 * Copies blocks of `size` elements, which are consecutive in `source`, to indices of `array` that are a stride apart. The blocks
 * are divided into groups of equal size.
 *
 * @param starts for each group of blocks, the index in `array` of its first block; a group with a negative index is not copied
 * @param options.strides the distance in elements between the blocks of each group
 * @returns false, with nothing done, unless the array is in a WebAssembly memory, `source` fits into that memory's first bytes, and
 *   blocks are multiples of 16 bytes
 */
export function scatterBlocks(
  source: Float32Array,
  array: Float32Array,
  starts: readonly number[],
  { size, strides }: { size: number; strides: readonly number[] },
): boolean {
  const memory = wasmMemoryOf(array);
  if (!memory || size % 4 !== 0 || source.byteLength > LOOP_BYTES) return false;
  new Float32Array(memory.buffer, 0, source.length).set(source);
  const { copy_blocks } = instanceOf(memory);
  const group = source.byteLength / starts.length;
  starts.forEach((start, i) => {
    if (start >= 0) copy_blocks(i * group, (i + 1) * group, array.byteOffset + 4 * start, 4 * size, 4 * strides[i]);
  });
  return true;
}
