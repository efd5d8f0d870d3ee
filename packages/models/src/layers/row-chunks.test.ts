import { headChunksOf } from './row-chunks.js';

test('rows go through the head 2,048 at a time at most, in a power of two chunks of which none is empty', () => {
  expect([0, 1, 2048, 2049, 4096, 4097, 32_768].map((rows) => headChunksOf(rows, 512))).toEqual([1, 1, 1, 2, 2, 4, 16]);
  for (const vocabulary of [512, 50_257, 151_936, 262_144])
    for (const wanted of [1, 4])
      for (let rows = 1; rows < 70_000; rows += 251) {
        const chunks = headChunksOf(rows, vocabulary, wanted);
        const size = Math.max(256, Math.ceil(rows / chunks));
        expect(size).toBeLessThanOrEqual(2048);
        expect(size * (chunks - 1)).toBeLessThan(rows);
      }
});

test('a large vocabulary has fewer rows at a time, so that their logits take no more memory', () => {
  for (const rows of [512, 1024, 2048, 16_384])
    expect((rows / headChunksOf(rows, 151_936)) * 151_936 * 4).toBeLessThanOrEqual(2 ** 29);
  expect(headChunksOf(1024, 151_936)).toBe(4);
});
