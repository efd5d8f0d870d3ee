// Pads a batch of token sequences to shapes that suit a GPU.
import { BUFFER_STEPS, roundedSize } from './few-sizes.js';
import type { TokenBatch } from './token-batches.js';

/**
 * Pads a batch so that no tensor is empty, which ONNX Runtime's WebGPU provider refuses. `roundsSizes` also rounds up rows,
 * columns (up to `contextLength`), scored and valued positions, so that few shapes occur. Added positions repeat the batch's
 * first one with weight 0; real tokens do not attend to added rows and columns.
 */
export function gpuBatch(
  batch: TokenBatch,
  { roundsSizes, contextLength }: { roundsSizes: boolean; contextLength: number },
): TokenBatch {
  const sized = (size: number) => (roundsSizes ? roundedSize(size, BUFFER_STEPS) : size);
  const [rows, columns] = [sized(batch.rows), Math.min(sized(batch.columns), contextLength)];
  const ids = new Int32Array(rows * columns);
  for (let row = 0; row < batch.rows; row++)
    ids.set(batch.ids.subarray(row * batch.columns, (row + 1) * batch.columns), row * columns);
  const moved = (position: number) => position + Math.floor(position / batch.columns) * (columns - batch.columns);
  const [scored, valued] = [batch.weights, batch.valueWeights].map(({ length }) => sized(Math.max(1, length)));
  return {
    ...batch,
    rows,
    columns,
    ids,
    scoredPositions: extended(batch.scoredPositions.map(moved), scored),
    targets: extended(batch.targets, scored),
    weights: extended(batch.weights, scored),
    entropyWeights: extended(batch.entropyWeights, scored),
    valuePositions: extended(batch.valuePositions.map(moved), valued),
    valueWeights: extended(batch.valueWeights, valued),
  };
}

function extended<Numbers extends Int32Array | Float32Array>(numbers: Numbers, length: number): Numbers {
  const longer = new (numbers.constructor as new (length: number) => Numbers)(length);
  longer.set(numbers);
  return longer;
}
