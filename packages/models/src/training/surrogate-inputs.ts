// Makes the inputs of a training graph for a surrogate loss, in addition to the tokens, batch by batch.
import type { InputTensor } from '@bowyer/graph';
import type { Place, TokenBatch, TokenExample } from '../batching/token-batches.js';
import {
  SCALAR_INPUTS,
  scalarNames,
  type PolicyScalars,
  type SurrogateForm,
  type SurrogateLoss,
} from './surrogate-gradient.js';

/**
 * Makes a function from a batch to the inputs of `surrogateWeights` and `valueSlopes`, and `entropy_weights`.
 *
 * @throws if the length of an array is not the number of scored tokens (or values)
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
    ...pickedInputs(tokens, batch.scoredPlaces),
    ...(ofValues && pickedInputs(ofValues, batch.valuePlaces)),
    ...scalarInputs(form.policy, loss.scalars),
    ...(form.klEstimator && { kl_coefficient: { dims: [], data: [loss.klCoefficient] } }),
  });
}

/** Makes the graph's scalar inputs for a policy loss. */
export const scalarInputs = (policy: SurrogateForm['policy'], scalars: PolicyScalars): Record<string, InputTensor> =>
  Object.fromEntries(
    scalarNames(policy).map((name) => [SCALAR_INPUTS[name], { dims: [], data: [scalars[name] ?? NaN] }]),
  );

/** Distributes numbers [N], one per position with nonzero weight, over arrays [tokens] of the examples, with 0 elsewhere. */
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

/**
 * Makes inputs with the numbers at some tokens of the examples: [places], or [places, width] with several per token.
 *
 * @param arrays for the name of each input, one array [tokens × width] per example
 * @param places the tokens, each named by the indices of its example and of the token
 */
export function pickedInputs(
  arrays: Readonly<Record<string, readonly (Float32Array | Int32Array)[]>>,
  places: readonly Place[],
  width = 1,
): Record<string, InputTensor> {
  return Object.fromEntries(
    Object.entries(arrays).map(([name, rows]) => {
      const size = places.length * width;
      const data = rows[0] instanceof Int32Array ? new Int32Array(size) : new Float32Array(size);
      places.forEach(({ example, token }, i) => {
        for (let k = 0; k < width; k++) data[i * width + k] = rows[example][token * width + k];
      });
      return [name, { dims: width === 1 ? [places.length] : [places.length, width], data }];
    }),
  );
}
