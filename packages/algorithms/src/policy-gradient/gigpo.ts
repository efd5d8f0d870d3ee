// GiGPO compares, beside the episodes of a group, the turns that begin in the same state of the environment (the anchor).
// Source: Feng et al. 2025, arXiv:2505.10978, eq. 2 to 8:
//
//     A^E_i  = (R_i − mean(R)) / std(R)                           over the episodes of a group
//     R_ik   = Σ_{l ≥ k} γ^(l − k) r_il
//     A^S_ik = (R_ik − mean(R_jl)) / std(R_jl)                    over the turns of the group with the anchor of turn k; 0 for a single turn
//     A_ik   = A^E_i + w A^S_ik
//
// Differs from the authors' code: means and deviations of A^E are over episodes unless advantage.statistics=turn, and a penalty for
// an invalid action is a part of that turn's reward, so that it counts in the returns of the turns before it too.
import {
  anchorGroups,
  discountedReturns,
  group,
  groupRelativeAdvantages,
  maximum,
  mean,
  nonNegative,
  unitOptions,
  type OptionsOf,
} from '@bowyer/core';
import { gammaOption } from '../learning/learning-options.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { groupTraining, groupTrainingOptions, trainOnGroups, type GroupEpisode } from './group-training.js';
import { episodeAdvantages, STD_EPSILON, statisticsMembers } from './grpo.js';

/** Declares the options of methods that compare turns in the same state, with the defaults of verl-agent. */
export const sameStateOptions = (defaults: { iterations?: number } = {}) => ({
  ...groupTrainingOptions({
    ...defaults,
    invalidPenalty: 0.1,
    loss: { dualClip: 3, entropyCoefficient: 0.001 },
    kl: { coefficient: 0.01, kind: 'loss' },
  }),
  gamma: gammaOption(0.95),
});

const options = unitOptions({
  ...sameStateOptions(),
  advantage: group(
    {
      ...statisticsMembers,
      step_weight: nonNegative(1, 'w, weight of the advantage among turns with the same state; 0: GRPO', {
        flat: 'step_weight',
      }),
    },
    'the advantage of a turn',
  ),
});

export type GigpoOptions = Pick<OptionsOf<typeof options>, 'gamma' | 'advantage'>;

export const gigpo = defineAlgorithm({
  ...groupTraining,
  name: 'gigpo',
  description: 'GiGPO: compares episodes of the same task, and turns that began in the same state',
  options,
  train: (run, options) => trainOnGroups(run, options, (episodes) => gigpoAdvantages(episodes, options)),
});

/** Returns [episodes][turns] A, and metrics of repeated states. */
export function gigpoAdvantages(
  episodes: readonly GroupEpisode[],
  options: GigpoOptions,
): { advantages: number[][]; metrics: Metrics } {
  const ofEpisodes = episodeAdvantages(episodes, options.advantage);
  const anchors = anchorGroups(
    episodes.flatMap(({ trajectory, group }) =>
      trajectory.transitions.map(({ state, observation }) => ({ group, state: state ?? observation })),
    ),
  );
  const ofTurns = groupRelativeAdvantages(
    episodes.flatMap(({ rewards }) => discountedReturns(rewards, options.gamma)),
    anchors.ids,
    { baseline: 'mean', scaleEpsilon: options.advantage.scaleByStd ? STD_EPSILON : null },
  );
  let next = 0;
  return {
    advantages: episodes.map(({ rewards }, e) =>
      rewards.map(() => ofEpisodes[e] + options.advantage.stepWeight * ofTurns[next++]),
    ),
    metrics: {
      'groups/anchor_singleton_share': mean(anchors.sizes.map((size) => (size === 1 ? 1 : 0))),
      'groups/anchor_size_mean': mean(anchors.sizes),
      'groups/anchor_size_max': maximum(anchors.sizes),
    },
  };
}
