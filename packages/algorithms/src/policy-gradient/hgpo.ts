// HGPO compares turns of a group's episodes that begin in the same state, and compares them again with those turns alone that have the
// same preceding states. Equal states after unequal histories are unequal prompts, so that a comparison has a higher weight, the more
// history is shared. Source: He et al. 2026, arXiv:2602.22817, section 4, and its code (recipe hgpo of verl-agent):
//
//     R_t   = Σ_{l ≥ t} γ^(l − t) r_l
//     A_k   = (R_t − mean(R)) / std(R)           over the turns of the group with the last k states of turn t, k = 1 … H + 1
//     A     = Σ_k w_k A_k / Σ_k w_k              w_k = (k + 1)^α, over the k whose A_k is not 0
//
// H is `advantage.history_length`; k = 1 is GiGPO's anchor group. With advantage.base_group=true, k = 0 is GRPO's advantage of
// the episode. std is that of the population for k ≥ 1, as in the authors' code. Differs from it: a penalty for an invalid action
// is a part of that turn's reward, so it counts in the returns of the turns before it too.
import {
  anchorGroups,
  discountedReturns,
  flag,
  group,
  groupRelativeAdvantages,
  integer,
  maximum,
  mean,
  nonNegative,
  unitOptions,
  type OptionsOf,
} from '@bowyer/core';
import type { Metrics } from '../rollout/run-hooks.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { groupTraining, trainOnGroups, type GroupEpisode } from './group-training.js';
import { sameStateOptions } from './gigpo.js';
import { episodeAdvantages, STD_EPSILON, statisticsMembers } from './grpo.js';

const options = unitOptions({
  ...sameStateOptions({ iterations: 160 }),
  advantage: group(
    {
      ...statisticsMembers,
      history_length: integer(
        2,
        'H, largest number of earlier states that compared turns have in common, besides their own state; 0: their own state alone',
        { minimum: 0, maximum: 100, flat: 'history_length' },
      ),
      history_exponent: nonNegative(
        1,
        'α: a comparison of turns that share k states has the weight (k + 1)^α; 0: all count alike',
        { flat: 'history_exponent' },
      ),
      base_group: flag(false, "count GRPO's advantage of the episode as one more comparison, with weight 1", {
        flat: 'base_group',
      }),
    },
    'the advantage of a turn',
  ),
});

export type HgpoOptions = Pick<OptionsOf<typeof options>, 'gamma' | 'advantage'>;

export const hgpo = defineAlgorithm({
  ...groupTraining,
  name: 'hgpo',
  description: 'HGPO: compares turns that began in the same state, the more the longer the history that they share',
  options,
  train: (run, options) => trainOnGroups(run, options, (episodes) => hgpoAdvantages(episodes, options)),
});

/** Returns [episodes][turns] A, and metrics of repeated states and histories. */
export function hgpoAdvantages(
  episodes: readonly GroupEpisode[],
  options: HgpoOptions,
): { advantages: number[][]; metrics: Metrics } {
  const { historyLength, historyExponent, baseGroup } = options.advantage;
  const lengths = Array.from({ length: historyLength + 1 }, (_, h) => h + 1);
  const levels = lengths.map((k) => comparedTurns(episodes, k, options));
  const base = baseGroup ? episodeAdvantages(episodes, options.advantage) : null;
  const weightOf = (k: number) => (k + 1) ** historyExponent;
  const advantages = episodes.map(({ rewards }, e) =>
    rewards.map((_, turn) =>
      weightedMean([
        ...(base ? [{ weight: 1, value: base[e] }] : []),
        ...levels.map(({ values }, level) => ({ weight: weightOf(lengths[level]), value: values[e][turn] })),
      ]),
    ),
  );
  return { advantages, metrics: { ...levels[0].metrics, ...sharesOf(levels.at(-1)!.compared, advantages.flat()) } };
}

/**
 * Compares turns whose last k states are equal.
 *
 * @returns [episodes][turns] A_k, 0 for a turn that is compared with no other, or has fewer than k states
 */
function comparedTurns(episodes: readonly GroupEpisode[], k: number, { gamma, advantage }: HgpoOptions) {
  const turns = episodes.flatMap(({ trajectory, group, rewards }, e) => {
    const states = trajectory.transitions.map(({ state, observation }) => state ?? observation);
    const returns = discountedReturns(rewards, gamma);
    return states.flatMap((_, turn) =>
      turn + 1 < k
        ? []
        : [{ e, turn, group, state: JSON.stringify(states.slice(turn + 1 - k, turn + 1)), value: returns[turn] }],
    );
  });
  const { ids, sizes } = anchorGroups(turns);
  const found = groupRelativeAdvantages(
    turns.map(({ value }) => value),
    ids,
    { baseline: 'mean', scaleEpsilon: advantage.scaleByStd ? STD_EPSILON : null, deviation: 'population' },
  );
  const values = episodes.map(({ rewards }) => new Array<number>(rewards.length).fill(0));
  turns.forEach(({ e, turn }, i) => (values[e][turn] = found[i]));
  const metrics = {
    'groups/anchor_singleton_share': mean(sizes.map((size) => (size === 1 ? 1 : 0))),
    'groups/anchor_size_mean': mean(sizes),
    'groups/anchor_size_max': maximum(sizes),
  };
  return { values, compared: ids.filter((id) => sizes[id] > 1).length, metrics };
}

/** Averages the nonzero values, so that a comparison without a signal does not weaken the others. */
function weightedMean(items: readonly { weight: number; value: number }[]): number {
  const nonzero = items.filter(({ value }) => value !== 0);
  const total = nonzero.reduce((sum, { weight }) => sum + weight, 0);
  return total === 0 ? 0 : nonzero.reduce((sum, { weight, value }) => sum + weight * value, 0) / total;
}

/** Computes the share of turns that share a whole history with another one, and the share of turns without an advantage. */
const sharesOf = (compared: number, advantages: readonly number[]): Metrics => ({
  'groups/history_shared_share': compared / advantages.length,
  'groups/silent_turn_share': mean(advantages.map((advantage) => (advantage === 0 ? 1 : 0))),
});
