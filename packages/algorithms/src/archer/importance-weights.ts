// Computes how much more likely a stored utterance is under the present policy than under the policy that sampled it.
import { importanceWeight, type Trajectory } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import { scoreTurns, utterancesOf, type LearnedTurn } from '../learning/pack-turns.js';

/** The largest number of tokens in one forward pass. */
const MAX_TOKENS = 16_384;

/**
 * Computes ρ = min(π(a|s) / μ(a|s), bound) of every utterance, with the present policy π and the sampling policy μ, at
 * temperature 1 without truncation. The terminator counts as a token.
 *
 * @returns per episode [turns]; 1 where no tokens or no log-probabilities are stored
 */
export async function importanceWeights(
  policy: Pick<LanguageModel, 'logprobs'>,
  episodes: Iterable<Trajectory>,
  bound: number,
): Promise<Map<Trajectory, Float32Array>> {
  const unique = [...new Set(episodes)];
  const turns = unique.flatMap((trajectory) => trajectory.transitions.map((_, turn) => ({ trajectory, turn })));
  const logprobs = await scoreTurns((examples) => policy.logprobs(examples, { maxTokens: MAX_TOKENS }), turns, {
    scoreTerminator: true,
  });
  const weights = turns.map((turn, i) => weightOf(turn, logprobs[i], bound));
  let start = 0;
  return new Map(
    unique.map((trajectory) => {
      const own = weights.slice(start, (start += trajectory.transitions.length));
      return [trajectory, Float32Array.from(own)];
    }),
  );
}

/** Computes ρ of one utterance. `logprobs`: [tokens] of its scored tokens, under the present policy. */
export function weightOf({ trajectory, turn }: LearnedTurn, logprobs: Float32Array, bound: number): number {
  const stored = utterancesOf(trajectory).get(turn)?.logprobs.slice(0, logprobs.length) ?? [];
  return stored.length === 0 ? 1 : importanceWeight(sum(logprobs), sum(stored), bound);
}

function sum(xs: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < xs.length; i++) total += xs[i];
  return total;
}
