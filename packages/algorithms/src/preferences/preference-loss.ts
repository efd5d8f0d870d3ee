// Computes the loss of direct preference optimisation (DPO) on pairs of episodes; the agent's tokens of an episode count as one sequence.
import { dpoLoss, episodicReturn, group, integer, nonNegative, positive, type Trajectory } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import type { Metrics } from '../rollout/run-hooks.js';
import { referenceOption, type ReferencePolicy } from '../learning/reference-policy.js';
import { packTurns, scoreTurns, turnsOf } from '../learning/pack-turns.js';

export const preferenceOptions = (pairsPerGroup: number) => ({
  loss: group(
    {
      beta: positive(
        0.1,
        'β, weight of the log-probabilities relative to the policy at the start of the run, per nat; a larger one keeps the policy nearer to it',
        { flat: 'beta' },
      ),
      nll_coefficient: nonNegative(
        0,
        'weight of the negative log-likelihood per token of the better episodes, which DPO alone may make less likely; 0: none, as in the paper',
        { flat: 'nll_coefficient' },
      ),
    },
    'the loss of a minibatch',
  ),
  pairs_per_group: integer(
    pairsPerGroup,
    'pairs of a group: the best episode against the worst, the second best against the second worst, …',
    { flat: 'pairs_per_group' },
  ),
  reference: referenceOption,
});

interface PreferenceOptions {
  actor: { maxBatchTokens: number | null; scoreTerminator: boolean };
  /** `nllCoefficient` is α of `dpoLoss`. */
  loss: { beta: number; nllCoefficient: number };
}

interface PreferencePair {
  chosen: Trajectory;
  rejected: Trajectory;
}

/** A pair with the log-probabilities of its tokens under the reference policy: the chosen episode's, then the rejected one's. */
export interface ScoredPair extends PreferencePair {
  refLogprobs: Float32Array;
}

/** Pairs the best with the worst episode, the second best with the second worst, and so on while returns differ; ties keep their order. */
export function preferencePairs(group: readonly Trajectory[], pairsPerGroup: number): PreferencePair[] {
  const ranked = [...group].sort((one, other) => episodicReturn(other) - episodicReturn(one));
  const pairs = Array.from({ length: Math.min(pairsPerGroup, Math.floor(ranked.length / 2)) }, (_, i) => ({
    chosen: ranked[i],
    rejected: ranked[ranked.length - 1 - i],
  }));
  return pairs.filter(({ chosen, rejected }) => episodicReturn(chosen) > episodicReturn(rejected));
}

/** Scores the pairs under the reference policy; pairs with an episode without tokens of the policy are omitted. */
export async function scorePairs(
  reference: ReferencePolicy,
  pairs: readonly PreferencePair[],
  { actor }: PreferenceOptions,
): Promise<ScoredPair[]> {
  const scored: ScoredPair[] = [];
  const score = (examples: Parameters<ReferencePolicy['logprobs']>[0]) =>
    reference.logprobs(examples, { maxTokens: actor.maxBatchTokens ?? undefined });
  for (const pair of pairs) {
    const sides = [];
    for (const trajectory of [pair.chosen, pair.rejected])
      sides.push((await scoreTurns(score, turnsOf([trajectory]), actor)).flatMap((tokens) => [...tokens]));
    if (sides.every(({ length }) => length > 0)) scored.push({ ...pair, refLogprobs: Float32Array.from(sides.flat()) });
  }
  return scored;
}

/** Adds the gradient of a minibatch of pairs. An episode may be in one pair only. */
export async function accumulatePreferences(
  policy: LanguageModel,
  pairs: readonly ScoredPair[],
  { actor, loss: how }: PreferenceOptions,
): Promise<Metrics> {
  const episodes = pairs.flatMap(({ chosen, rejected }) => [chosen, rejected]);
  const batch = packTurns(turnsOf(episodes), actor);
  const lengthOf = new Map<Trajectory, number>();
  batch.turns.forEach(({ trajectory }, i) =>
    lengthOf.set(trajectory, (lengthOf.get(trajectory) ?? 0) + batch.lengths[i]),
  );
  const lengths = episodes.map((episode) => lengthOf.get(episode)!);
  const refLogprobs = Float32Array.from(pairs.flatMap((pair) => [...pair.refLogprobs]));
  const { loss, accuracy, margin, nll } = await policy.accumulateLogprobGradients(
    batch.examples,
    ({ logprobs }) => dpoLoss({ logprobs, refLogprobs, lengths }, how),
    { maxTokens: actor.maxBatchTokens ?? undefined },
  );
  return {
    'losses/dpo': loss,
    'preferences/accuracy': accuracy,
    'preferences/margin': margin,
    'preferences/chosen_nll': nll,
  };
}
