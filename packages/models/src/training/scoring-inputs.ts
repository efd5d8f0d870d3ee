// The inputs of the graphs that score tokens, batch by batch.
import { maximum } from '@bowyer/core';
import type { InputTensor } from '@bowyer/graph';
import type { TokenBatch, TokenExample } from '../batching/token-batches.js';
import { ALLOWED_BIAS } from '../layers/restricted-logits.js';

/** Tokens, the scored positions with their targets, and what further terms of the graph ask for. */
export function scoringInputs(
  batch: TokenBatch,
  { value = false, restricted }: { value?: boolean; restricted: boolean },
): Record<string, InputTensor> {
  const { prefix, scoredPositions, valuePositions } = batch;
  const scored = [scoredPositions.length];
  // The rows of the prefix come first.
  const shifted = (positions: Int32Array) =>
    prefix.length === 0 ? positions : positions.map((position) => position + prefix.length);
  return {
    ids: { dims: [batch.rows, batch.columns], data: batch.ids },
    scored_positions: { dims: scored, data: shifted(scoredPositions) },
    targets: { dims: scored, data: batch.targets },
    ...(restricted && allowedInputs(batch)),
    ...(value && { value_positions: { dims: [valuePositions.length], data: shifted(valuePositions) } }),
    ...(prefix.length > 0 && { prefix_ids: { dims: [prefix.length], data: prefix } }),
  };
}

/** Whether the graph needs the inputs of a choice among some tokens. */
export const areRestricted = (examples: readonly TokenExample[]): boolean =>
  examples.some(({ allowedIds }) => allowedIds !== undefined);

/** Padded to the longest, and to at least one column, with token 0 and the bias without effect. */
function allowedInputs({ scoredPositions, allowedIds = [] }: TokenBatch): Record<string, InputTensor> {
  const width = maximum([1, ...allowedIds.map((own) => own?.length ?? 0)]);
  const dims = [scoredPositions.length, width];
  const ids = new Int32Array(dims[0] * width);
  const biases = new Float32Array(dims[0] * width);
  allowedIds.forEach((own = [], i) => {
    ids.set(own, i * width);
    biases.fill(ALLOWED_BIAS, i * width, i * width + own.length);
  });
  return { allowed_ids: { dims, data: ids }, allowed_biases: { dims, data: biases } };
}
