// Computes losses that are sums over tokens in which each term depends only on the token's log-probability: Σ_t w_t ℓ(log p_t).
import { cispoSlope, droSlope, hostArithmetic, surrogateTerms } from '@bowyer/core';
import type { InputTensor } from '@bowyer/graph';
import type { TokenBatch, TokenExample } from '../batching/token-batches.js';
import type { PolicyScalars, SurrogateForm } from './surrogate-gradient.js';
import { pickedInputs, scalarInputs } from './surrogate-inputs.js';

/** An example: its tokens, and one or more target tokens for each position. */
export interface TargetedTokens {
  /** [tokens] token ids, which the model reads. */
  ids: Int32Array;
  /** [tokens × width] the ids of the tokens that are scored after each position; those of one position are next to each other. */
  targets: Int32Array;
}

/** A kind of loss, and its inputs for some examples. */
export interface TokenLosses {
  policy: SurrogateForm['policy'];
  scalars: PolicyScalars;
  /** The number of targets per position; above 1 for the likelihood only. */
  width: number;
  /** [examples] of [tokens × width]: the weights w, which may be negative. */
  weights: readonly Float32Array[];
  /** [examples] of [tokens], log-probabilities in nats under the policy that sampled the tokens; omitted for the likelihood. */
  oldLogprobs?: readonly Float32Array[];
  /** [examples] of [tokens]; omitted for the likelihood. */
  advantages?: readonly Float32Array[];
}

/** Returns the options of the training graph that computes these losses. */
export const formOf = ({ policy, width }: TokenLosses): SurrogateForm => ({
  policy,
  isWide: width > 1,
  dualClip: null,
  klEstimator: null,
  hasEntropyBonus: false,
  valueClip: null,
});

/**
 * Makes the examples from which batches are formed: their weight is 1 at positions where the loss has a gradient, so that these
 * are scored, else 0; of several targets of a position they have the first.
 */
export function learnedExamples(examples: readonly TargetedTokens[], losses: TokenLosses): TokenExample[] {
  const { width } = losses;
  return examples.map(({ ids, targets }, e) => ({
    ids,
    targets: width === 1 ? targets : column(targets, 0, width),
    weights: Float32Array.from(ids, (_, t) => (width > 1 || isLearned(losses, e, t) ? 1 : 0)),
  }));
}

function isLearned({ policy, weights, advantages }: TokenLosses, example: number, token: number): boolean {
  if (weights[example][token] === 0) return false;
  return policy === 'likelihood' || policy === 'dro' || advantages![example][token] !== 0;
}

/** Returns a function that makes the training graph's inputs of the loss for a batch of `learnedExamples`. */
export function lossInputs(
  examples: readonly TargetedTokens[],
  { policy, scalars, width, weights, oldLogprobs, advantages }: TokenLosses,
): (batch: TokenBatch) => Record<string, InputTensor> {
  const rows = {
    weights,
    ...(policy !== 'likelihood' && { old_logprobs: oldLogprobs!, advantages: advantages! }),
  };
  const targets = examples.map((example) => example.targets);
  return (batch) => ({
    ...pickedInputs(rows, batch.scoredPlaces, width),
    ...(width > 1 && pickedInputs({ targets }, batch.scoredPlaces, width)),
    ...scalarInputs(policy, scalars),
  });
}

/**
 * Computes a training pass's weights on the host, for devices whose graphs cannot compute these losses.
 *
 * @param logprobs [examples] of [tokens]
 * @returns [examples] of [tokens] weights of −log p with which the weighted sum has the losses' gradient
 */
export function hostWeights(losses: TokenLosses, logprobs: readonly Float32Array[]): Float32Array[] {
  return logprobs.map((row, e) => row.map((logprob, t) => -losses.weights[e][t] * slope(losses, e, t, logprob)));
}

function slope({ policy, scalars, ...rows }: TokenLosses, example: number, token: number, logprob: number): number {
  if (policy === 'likelihood') return -1;
  const advantage = rows.advantages![example][token];
  const logRatio = logprob - rows.oldLogprobs![example][token];
  if (policy === 'dro') return droSlope(hostArithmetic, logRatio, advantage, scalars.beta!);
  const bounds = { low: scalars.low!, high: scalars.high! };
  if (policy === 'cispo') return cispoSlope(hostArithmetic, logRatio, advantage, bounds);
  return surrogateTerms(hostArithmetic, logRatio, advantage, { ...bounds, dualClip: null }).slope;
}

/** Selects the k-th of `width` numbers (such as targets) of each position. */
export const column = <Rows extends Int32Array | Float32Array>(rows: Rows, k: number, width: number): Rows =>
  width === 1 ? rows : (rows.filter((_, i) => i % width === k) as Rows);

/** Makes examples that score the k-th target at every position. */
export const columnExamples = (examples: readonly TargetedTokens[], k: number, width: number): TokenExample[] =>
  examples.map(({ ids, targets }) => ({
    ids,
    targets: column(targets, k, width),
    weights: new Float32Array(ids.length).fill(1),
  }));
