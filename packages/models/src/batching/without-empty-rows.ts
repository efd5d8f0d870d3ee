// Some devices cannot compute with empty tensors. A batch without scored or valued positions gets one at its first position, with
// weight 0.
import type { TokenBatch } from './token-batches.js';

export function withoutEmptyRows(batch: TokenBatch): TokenBatch {
  const scored = batch.scoredPositions.length > 0 ? {} : nothingScored;
  const valued = batch.valuePositions.length > 0 ? {} : nothingValued;
  return { ...batch, ...scored, ...valued };
}

const nothingScored = {
  scoredPositions: Int32Array.of(0),
  targets: Int32Array.of(0),
  weights: Float32Array.of(0),
  entropyWeights: Float32Array.of(0),
  tokenMasks: undefined,
};
const nothingValued = { valuePositions: Int32Array.of(0), valueWeights: Float32Array.of(0) };
