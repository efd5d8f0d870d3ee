// Tests which arrays are in WebAssembly memory, and that a freed block is used again and contains zeros.
import { HostMemory, LOOP_BYTES, wasmMemoryOf } from './host-memory.js';

const LARGE = 20_000; // float32: more than 64 KiB

test('large tensors share a memory, small ones are ordinary arrays', () => {
  const memory = new HostMemory();
  const [a, b] = [memory.allocate('float32', LARGE), memory.allocate('uint8', 4 * LARGE)];
  const small = memory.allocate('float32', 10);
  expect(wasmMemoryOf(a)).toBeDefined();
  expect(wasmMemoryOf(b)).toBe(wasmMemoryOf(a));
  expect(wasmMemoryOf(small)).toBeUndefined();
  expect([a.length, b.length, small.length]).toEqual([LARGE, 4 * LARGE, 10]);
  expect(a.byteOffset).toBeGreaterThanOrEqual(LOOP_BYTES);
  expect(b.byteOffset).toBeGreaterThanOrEqual(a.byteOffset + a.byteLength);
});

test('a freed block is used for the next array that fits, and contains zeros', () => {
  const memory = new HostMemory();
  const [first, second, third] = [0, 1, 2].map(() => memory.allocate('float32', LARGE) as Float32Array);
  second.fill(7);
  memory.free(second);
  const larger = memory.allocate('float32', 2 * LARGE);
  expect(larger.byteOffset).toBeGreaterThan(third.byteOffset);
  const again = memory.allocate('float32', LARGE - 1) as Float32Array;
  expect(again.byteOffset).toBe(second.byteOffset);
  expect(again.every((x) => x === 0)).toBe(true);
  const place = wasmMemoryOf(first);
  for (const array of [first, third, larger, again]) memory.free(array);
  expect(wasmMemoryOf(memory.allocate('float32', LARGE))).not.toBe(place); // an empty memory is released
});

test('a block over used and unused addresses contains zeros, and pages that are never written take no memory', () => {
  const memory = new HostMemory();
  const [, last] = [0, 1].map(() => memory.allocate('float32', LARGE) as Float32Array);
  last.fill(7);
  memory.free(last);
  const before = process.memoryUsage().rss;
  const large = memory.allocate('float32', 2 ** 28) as Float32Array; // 1 GiB
  expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 28);
  expect(large.byteOffset).toBe(last.byteOffset);
  expect(large.subarray(0, 2 * LARGE).every((x) => x === 0)).toBe(true);
});

test('a large block that is used again takes no more memory', () => {
  const memory = new HostMemory();
  const floats = 2 ** 28; // 1 GiB
  memory.allocate('float32', LARGE);
  const first = memory.allocate('float32', floats) as Float32Array;
  first[floats - 1] = 7;
  memory.free(first);
  const before = process.memoryUsage().rss;
  const again = memory.allocate('float32', floats) as Float32Array;
  expect(process.memoryUsage().rss - before).toBeLessThan(floats);
  expect([again.byteOffset, again[floats - 1]]).toEqual([first.byteOffset, 0]);
});
