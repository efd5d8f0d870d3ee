// Direct preference optimisation on pairs of episodes, the agent's tokens of an episode being one sequence.
import { Type } from '@sinclair/typebox';
import { count, dpoLoss, episodicReturn, nullable, rate, type Trajectory } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import type { Metrics } from '../rollout/run-hooks.js';
import { type ReferencePolicy, referenceKeys } from '../learning/reference-policy.js';
import { scoreTerminatorKey } from '../learning/pack-turns.js';
import { packTurns, scoreTurns, turnsOf } from '../learning/pack-turns.js';

export const preferenceKeys = {
  beta: rate('β, strength of the tie to the start of the run, per nat'),
  nll_coefficient: Type.Number({
    minimum: 0,
    description:
      'weight of the negative log-likelihood per token of the better episodes, which DPO alone may make less likely; 0: none, as in the paper',
  }),
  pairs_per_group: count(
    'pairs of a group: the best episode against the worst, the second best against the second worst, …',
  ),
  max_batch_tokens: nullable(
    count('tokens with padding that run through the policy at once'),
    'tokens with padding that run through the policy at once; more are split, with the same gradient; null: no limit',
  ),
  max_grad_norm: rate('upper bound of the global norm of the policy gradient'),
  ...scoreTerminatorKey,
  ...referenceKeys,
};

export type PreferenceOptions = {
  beta: number;
  /** α of `dpoLoss`. */
  nllCoefficient: number;
  maxBatchTokens: number | null;
  scoreTerminator: boolean;
};

export interface PreferencePair {
  chosen: Trajectory;
  rejected: Trajectory;
}

/** A pair with the log-probabilities of its tokens under the reference: those of the chosen episode, then of the rejected one. */
export interface ScoredPair extends PreferencePair {
  refLogprobs: Float32Array;
}

/** The best against the worst, the second best against the second worst, and so on as far as returns differ; ties in order. */
export function preferencePairs(group: readonly Trajectory[], pairsPerGroup: number): PreferencePair[] {
  const ranked = [...group].sort((one, other) => episodicReturn(other) - episodicReturn(one));
  const pairs = Array.from({ length: Math.min(pairsPerGroup, Math.floor(ranked.length / 2)) }, (_, i) => ({
    chosen: ranked[i],
    rejected: ranked[ranked.length - 1 - i],
  }));
  return pairs.filter(({ chosen, rejected }) => episodicReturn(chosen) > episodicReturn(rejected));
}

/** The pairs whose two episodes have tokens of ours. */
export async function scorePairs(
  reference: ReferencePolicy,
  pairs: readonly PreferencePair[],
  options: PreferenceOptions,
): Promise<ScoredPair[]> {
  const scored: ScoredPair[] = [];
  const score = (examples: Parameters<ReferencePolicy['logprobs']>[0]) =>
    reference.logprobs(examples, { maxTokens: options.maxBatchTokens ?? undefined });
  for (const pair of pairs) {
    const sides = [];
    for (const trajectory of [pair.chosen, pair.rejected])
      sides.push((await scoreTurns(score, turnsOf([trajectory]), options)).flatMap((tokens) => [...tokens]));
    if (sides.every(({ length }) => length > 0)) scored.push({ ...pair, refLogprobs: Float32Array.from(sides.flat()) });
  }
  return scored;
}

/** Adds the gradient of a minibatch of pairs. No episode may be in two of them. */
export async function accumulatePreferences(
  policy: LanguageModel,
  pairs: readonly ScoredPair[],
  options: PreferenceOptions,
): Promise<Metrics> {
  const episodes = pairs.flatMap(({ chosen, rejected }) => [chosen, rejected]);
  const batch = packTurns(turnsOf(episodes), options);
  const lengthOf = new Map<Trajectory, number>();
  batch.turns.forEach(({ trajectory }, i) =>
    lengthOf.set(trajectory, (lengthOf.get(trajectory) ?? 0) + batch.lengths[i]),
  );
  const lengths = episodes.map((episode) => lengthOf.get(episode)!);
  const refLogprobs = Float32Array.from(pairs.flatMap((pair) => [...pair.refLogprobs]));
  const { loss, accuracy, margin, nll } = await policy.accumulateLogprobGradients(
    batch.examples,
    ({ logprobs }) => dpoLoss({ logprobs, refLogprobs, lengths }, options),
    { maxTokens: options.maxBatchTokens ?? undefined },
  );
  return {
    'losses/dpo': loss,
    'preferences/accuracy': accuracy,
    'preferences/margin': margin,
    'preferences/chosen_nll': nll,
  };
}
