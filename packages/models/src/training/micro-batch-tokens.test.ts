import { microBatchTokens } from './micro-batch-tokens.js';

test('a deep and wide model takes fewer tokens at a time, a small one as many as before', () => {
  expect(microBatchTokens({ layers: 12, heads: 12, headSize: 64 })).toBe(2048); // GPT-2 124M
  expect(microBatchTokens({ layers: 30, heads: 9, headSize: 64 })).toBe(640); // SmolLM2 135M
  expect(microBatchTokens({ layers: 24, heads: 14, headSize: 64 })).toBe(640); // Qwen 2.5 0.5B
});
