import { headChunksOf } from './row-chunks.js';

test('rows go through the head 2,048 at a time at most, in a power of two chunks of which none is empty', () => {
  expect([1, 2048, 2049, 4096, 4097, 32_768].map(headChunksOf)).toEqual([1, 1, 2, 2, 4, 16]);
  for (let rows = 1; rows < 70_000; rows += 997) {
    const chunks = headChunksOf(rows);
    const size = Math.max(256, Math.ceil(rows / chunks));
    expect(size).toBeLessThanOrEqual(2048);
    expect(size * (chunks - 1)).toBeLessThan(rows);
  }
});
