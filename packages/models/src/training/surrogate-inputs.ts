// The inputs of a training graph with a surrogate loss beside the tokens, batch by batch.
import type { InputTensor } from '@bowyer/graph';
import type { TokenBatch, TokenExample } from '../batching/token-batches.js';
import type { SurrogateLoss } from './surrogate-gradient.js';

/**
 * @returns of a batch the inputs of `surrogateWeights` and `valueSlopes`, and `entropy_weights`
 * @throws if an array is not as long as there are scored tokens (or values)
 */
export function surrogateInputs(
  examples: readonly TokenExample[],
  loss: SurrogateLoss,
): (batch: TokenBatch) => Record<string, InputTensor> {
  const { form, values } = loss;
  const scored = (data: Float32Array) => spread(examples, ({ weights }) => weights, data);
  const valued = (data: Float32Array) => spread(examples, ({ valueWeights }) => valueWeights!, data);
  const tokens = {
    weights: scored(loss.weights),
    old_logprobs: scored(loss.oldLogprobs),
    advantages: scored(loss.advantages),
    ...(form.klEstimator && { ref_logprobs: scored(loss.refLogprobs!) }),
    ...(form.hasEntropyBonus && { entropy_weights: scored(loss.weights.map((w) => loss.entropyCoefficient * w)) }),
  };
  const ofValues = form.valueClip !== null && {
    value_weights: valued(values!.returns.map(() => values!.coefficient / values!.returns.length)),
    old_values: valued(values!.oldValues),
    returns: valued(values!.returns),
  };
  return (batch) => ({
    ...picked(tokens, batch, batch.scoredPositions),
    ...(ofValues && picked(ofValues, batch, batch.valuePositions)),
    ...(form.klEstimator && { kl_coefficient: { dims: [], data: [loss.klCoefficient] } }),
  });
}

/** [N] of the positions with a weight → [examples] of [tokens] */
function spread(
  examples: readonly TokenExample[],
  weightsOf: (example: TokenExample) => Float32Array,
  data: Float32Array,
): Float32Array[] {
  let n = 0;
  const rows = examples.map((example) => weightsOf(example).map((weight) => (weight === 0 ? 0 : (data[n++] ?? 0))));
  if (n !== data.length)
    throw new RangeError(`surrogate loss: an array has ${data.length} entries for ${n} scored tokens or values`);
  return rows;
}

function picked(
  arrays: Record<string, Float32Array[]>,
  { examples, columns, prefix }: TokenBatch,
  positions: Int32Array,
): Record<string, InputTensor> {
  return Object.fromEntries(
    Object.entries(arrays).map(([name, rows]) => {
      const data = Float32Array.from(
        positions,
        (position) => rows[examples[Math.floor(position / columns)]][prefix.length + (position % columns)],
      );
      return [name, { dims: [data.length], data }];
    }),
  );
}
