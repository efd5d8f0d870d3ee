// The size of the process shows that memory is freed when the call returns, without a collection.
import { freeMemory } from './free-memory.js';

test('the memory of an array is free when the call returns', () => {
  const bytes = 256 << 20;
  const size = () => process.memoryUsage().rss;
  const array = new Uint8Array(bytes).fill(1);
  const part = array.subarray(5);
  const before = size();
  freeMemory(array);
  expect(before - size()).toBeGreaterThan(bytes / 2);
  expect([array.length, part.length]).toEqual([0, 0]);
  freeMemory(array);
});

test('a part of a buffer stays', () => {
  const buffer = Uint8Array.of(1, 2, 3);
  freeMemory(buffer.subarray(1));
  expect([...buffer]).toEqual([1, 2, 3]);
});
