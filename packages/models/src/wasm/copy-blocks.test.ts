import { HostMemory, LOOP_BYTES } from '@bowyer/graph';
import { scatterBlocks } from './copy-blocks.js';

const upTo = (length: number) => Float32Array.from({ length }, (_, i) => i + 1);

test('blocks of each group are copied to addresses one stride apart, and nothing else changes', () => {
  const array = new HostMemory().allocate('float32', 40_000) as Float32Array;
  array.fill(-1);
  // There are three groups of two blocks; the middle group is skipped.
  expect(scatterBlocks(upTo(3 * 2 * 8), array, [100, -1, 20_000], { size: 8, strides: [50, 50, 40] })).toBe(true);
  const expected = new Float32Array(40_000).fill(-1);
  expected.set(upTo(48).subarray(0, 8), 100);
  expected.set(upTo(48).subarray(8, 16), 150);
  expected.set(upTo(48).subarray(32, 40), 20_000);
  expected.set(upTo(48).subarray(40, 48), 20_040);
  expect(array).toEqual(expected);
});

test.each([
  ['an array elsewhere', new Float32Array(100), upTo(16), 8],
  ['blocks that are not a multiple of 16 bytes', undefined, upTo(12), 6],
  ['more than there is room for', undefined, new Float32Array(LOOP_BYTES / 4 + 16), 8],
])('%s is left to the caller', (_, elsewhere, source, size) => {
  const array = elsewhere ?? (new HostMemory().allocate('float32', 40_000) as Float32Array);
  expect(scatterBlocks(source, array, [0, 20], { size, strides: [10, 10] })).toBe(false);
  expect(array.every((x) => x === 0)).toBe(true);
});
