// Converts between the results of scoring, one array per example, and the arrays over all scored tokens that loss functions take
// and return: log-probabilities for the loss, and the loss's gradient as the weights of a training pass.
import type { ScoredTokens, TokenLoss } from '@bowyer/core';
import type { ReportedTokens } from '../batching/reported-tokens.js';
import type { TokenBatch, TokenExample } from '../batching/token-batches.js';

/** An output that scoring can compute for each token. */
export type TokenOutput = 'logprobs' | 'entropies' | 'values';

/** Returns an example's weights whose nonzero entries mark the positions at which an output is needed. */
const weightsFor = (output: TokenOutput, { weights, valueWeights }: TokenExample): Float32Array =>
  output === 'values' ? (valueWeights ?? new Float32Array(0)) : weights;

/** Lists outputs at positions with nonzero weight, example by example; `rows` has an array [tokens] per output and example. */
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

/** Sets weights for which Σ weights · (−log p) + Σ entropyWeights · (−H) + Σ valueWeights · V has the loss's gradient. */
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

/** Writes a batch's `reported_logprobs` (see training-graph.ts) into its examples' arrays, `rows` [examples] of [tokens]. */
export function spreadReported(data: Float32Array, { places }: ReportedTokens, rows: readonly Float32Array[]): void {
  for (const { example, token, at } of places) rows[example][token] = data[at];
}

/** Writes an output at a batch's scored or valued positions into its examples' arrays, [examples] of [tokens × width]. */
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
