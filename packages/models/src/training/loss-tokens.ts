// Converts the outputs of batches to a loss's inputs, and a loss's gradient to examples with weights.
import type { ScoredTokens, TokenLoss } from '@bowyer/core';
import type { ReportedTokens } from '../batching/reported-tokens.js';
import type { TokenBatch, TokenExample } from '../batching/token-batches.js';

/** An output that scoring can compute for each token. */
export type TokenOutput = 'logprobs' | 'entropies' | 'values';

/** Returns the weights that select the positions of an output. */
const weightsFor = (output: TokenOutput, { weights, valueWeights }: TokenExample): Float32Array =>
  output === 'values' ? (valueWeights ?? new Float32Array(0)) : weights;

/**
 * Lists the inputs of a loss: the values of each output at the positions with a weight, example by example.
 *
 * @param rows for each output [examples] of [tokens]
 */
export function lossTokens(
  examples: readonly TokenExample[],
  outputs: readonly TokenOutput[],
  rows: readonly (readonly Float32Array[])[],
): ScoredTokens {
  const tokensOf = (output: TokenOutput) => {
    const found = rows[outputs.indexOf(output)];
    if (!found) return new Float32Array(0);
    return Float32Array.from(
      examples.flatMap((example, e) => {
        const weights = weightsFor(output, example);
        return [...found[e]].filter((_, t) => weights.length > 0 && weights[t] !== 0);
      }),
    );
  };
  return { logprobs: tokensOf('logprobs'), entropies: tokensOf('entropies'), values: tokensOf('values') };
}

/**
 * Makes examples with weights for which Σ weights · (−log p) + Σ entropyWeights · (−H) + Σ valueWeights · V has the gradient of the
 * loss.
 */
export function withLossGradient(examples: readonly TokenExample[], loss: TokenLoss): TokenExample[] {
  const { gradient, entropyGradient, valueGradient } = loss;
  const spread = (name: string, output: TokenOutput, from: Float32Array, sign: 1 | -1) => {
    let n = 0;
    const spreadOver = examples.map((example) =>
      weightsFor(output, example).map((weight) => (weight === 0 ? 0 : sign * (from[n++] ?? 0))),
    );
    if (from.length !== n)
      throw new RangeError(
        `accumulateLogprobGradients: the loss's ${name} has ${from.length} entries for ${n} ${output === 'values' ? 'values' : 'scored tokens'}`,
      );
    return spreadOver;
  };
  const weights = spread('gradient', 'logprobs', gradient, -1);
  const entropyWeights = entropyGradient && spread('entropyGradient', 'entropies', entropyGradient, -1);
  const valueWeights = valueGradient && spread('valueGradient', 'values', valueGradient, 1);
  return examples.map(({ ids, targets, tokenMasks }, e) => ({
    ids,
    targets,
    tokenMasks,
    weights: weights[e],
    entropyWeights: entropyWeights?.[e],
    valueWeights: valueWeights?.[e].length ? valueWeights[e] : undefined,
  }));
}

/** Writes the values of reported positions into the rows of their examples. */
export function spreadReported(data: Float32Array, { places }: ReportedTokens, rows: readonly Float32Array[]): void {
  for (const { example, token, at } of places) rows[example][token] = data[at];
}

/** Writes the values of a batch's scored (or valued) positions into the rows of its examples, [examples] of [tokens × width]. */
export function spreadOutput(
  output: TokenOutput,
  data: Float32Array,
  batch: TokenBatch,
  rows: readonly Float32Array[],
  width = 1,
): void {
  const places = output === 'values' ? batch.valuePlaces : batch.scoredPlaces;
  places.forEach(({ example, token }, i) => {
    rows[example].set(data.subarray(i * width, (i + 1) * width), token * width);
  });
}
