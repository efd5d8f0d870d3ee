import { Rng } from '@bowyer/core';
import { roundedSize } from './few-sizes.js';
import { gpuBatch } from './gpu-batch.js';
import { tokenBatches, type TokenExample } from './token-batches.js';

const example = (length: number): TokenExample => ({
  ids: Int32Array.from({ length }, (_, t) => 10 * length + t),
  targets: Int32Array.from({ length }, (_, t) => t),
  weights: Float32Array.from({ length }, (_, t) => (t > 0 ? t : 0)),
});

const batchOf = (lengths: readonly number[]) =>
  tokenBatches(lengths.map(example), { maxTokens: Infinity, padTokenId: 0 })[0];

test('sizes up to a thousand are rounded to four between a power of two and the next, and by a quarter at most', () => {
  const sizes = Array.from({ length: 1000 }, (_, i) => i + 1);
  expect(sizes.slice(0, 12).map((size) => roundedSize(size, 4))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 10, 10, 12, 12]);
  for (const size of sizes) expect(roundedSize(size, 4)).toBeLessThanOrEqual(1.25 * size);
  expect(new Set(sizes.map((size) => roundedSize(size, 4))).size).toBe(8 + 4 * 7);
});

test('every scored token has the same id, target and weight in a batch of few sizes, and further ones weigh nothing', () => {
  const batch = batchOf([17, 19, 18]);
  const padded = gpuBatch(batch, { roundsSizes: true, contextLength: 64 });
  expect([padded.rows, padded.columns, padded.weights.length]).toEqual([3, 20, 56]);
  const found = (of: typeof batch) =>
    [...of.scoredPositions].map((position, i) => [of.ids[position], of.targets[i], of.weights[i]]);
  expect(found(padded).slice(0, 51)).toEqual(found(batch));
  expect(padded.weights.slice(51)).toEqual(new Float32Array(5));
});

test('a hundred batches of changing lengths have 7 shapes', () => {
  const rng = new Rng(1);
  const shapes = Array.from({ length: 100 }, () => {
    const { rows, columns } = gpuBatch(batchOf([rng.integer(80, 255)]), { roundsSizes: true, contextLength: 300 });
    return `${rows} ${columns}`;
  });
  expect(new Set(shapes).size).toBe(7); // 80, 96, 112, 128, 160, 192, 224 and 256 without the smallest, which is not drawn
});

test('columns do not exceed the context, and without rounding only empty tensors change', () => {
  expect(gpuBatch(batchOf([97]), { roundsSizes: true, contextLength: 100 }).columns).toBe(100);
  const batch = batchOf([17, 19]);
  const same = gpuBatch(batch, { roundsSizes: false, contextLength: 64 });
  expect(same).toEqual({ ...batch, valuePositions: new Int32Array(1), valueWeights: new Float32Array(1) });
});
