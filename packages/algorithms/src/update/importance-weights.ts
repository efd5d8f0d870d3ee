// How much more likely the policy makes a stored utterance now than the policy that sampled it did.
import { importanceWeight, type Trajectory } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import { packUtterances, tokensOf, type UtteranceSpan } from './packed-utterances.js';

/** Tokens that are scored at once. */
const MAX_TOKENS = 16_384;

/**
 * Weights ρ = min(π(a|s) / μ(a|s), bound) of every utterance of some episodes. π is the policy as it is now, μ the one that sampled,
 * whose log-probabilities are stored with the tokens; both at temperature 1 without truncation.
 *
 * @returns per episode [turns]; 1 where no tokens or no log-probabilities are stored
 */
export async function importanceWeights(
  policy: Pick<LanguageModel, 'logprobs'>,
  episodes: Iterable<Trajectory>,
  bound: number,
): Promise<Map<Trajectory, Float32Array>> {
  const unique = [...new Set(episodes)];
  const packed = packUtterances(
    unique.flatMap((trajectory) => trajectory.transitions.map((_, turn) => ({ trajectory, turn }))),
  );
  const rows = await policy.logprobs(packed.examples, { maxTokens: MAX_TOKENS });
  const weights = packed.spans.map((span) => (span === null ? 1 : weightOf(span, tokensOf(span, rows), bound)));
  let start = 0;
  return new Map(
    unique.map((trajectory) => {
      const end = start + trajectory.transitions.length;
      const own = Float32Array.from(weights.slice(start, end));
      start = end;
      return [trajectory, own];
    }),
  );
}

/** ρ of one utterance, the token that ended it included. @param logprobs [length] under the policy as it is now */
export const weightOf = ({ samplingLogprobs }: UtteranceSpan, logprobs: Float32Array, bound: number): number =>
  samplingLogprobs.length === 0 ? 1 : importanceWeight(sum(logprobs), sum(samplingLogprobs), bound);

function sum(xs: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < xs.length; i++) total += xs[i];
  return total;
}
