// GRPO gives an episode the advantage of its return relative to the other episodes of the same task, in units of their deviation.
// Source: Shao et al. 2024, arXiv:2402.03300, section 4.1:
//
//     A_i = (R_i − mean(R)) / (std(R) + ε)
//     L   = −mean_i 1/|o_i| Σ_t min(ρ_t A_i, clip(ρ_t, 1 − ε, 1 + ε) A_i) + β KL₃(π ‖ π_ref)
//
// Dr. GRPO (arXiv:2503.20783) is advantage.scale_by_std=false with loss.aggregation=constant; DAPO (arXiv:2503.14476) is
// loss.aggregation=token_mean, loss.clip_high=0.28, rollout.sampling_rounds=10, kl.coefficient=0; GSPO (arXiv:2507.18071) is
// loss.ratio=sequence with a small clip. Differs from the source: an episode has several utterances; all tokens of the agent have the
// episode's advantage, and the environment's tokens have none.
import { choice, flag, group, groupRelativeAdvantages, unitOptions } from '@bowyer/core';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import {
  groupTraining,
  groupTrainingOptions,
  shapedReturn,
  trainOnGroups,
  type GroupEpisode,
} from './group-training.js';

/** The ε that is added to the standard deviation, as in verl. */
export const STD_EPSILON = 1e-6;

export const statisticsMembers = {
  scale_by_std: flag(true, 'divide advantages by the standard deviation of the group; false: Dr. GRPO', {
    flat: 'scale_by_std',
  }),
  statistics: choice(
    ['episode', 'turn'],
    'episode',
    'what counts once in the mean and deviation of a group: an episode, or each of its turns, as by default in verl-agent',
    { flat: 'statistics' },
  ),
};

const options = unitOptions({
  ...groupTrainingOptions({
    loss: { aggregation: 'sequence_mean_token_mean' },
    kl: { coefficient: 0.04, kind: 'loss' },
  }),
  advantage: group(statisticsMembers, 'the advantage of an episode'),
});

export const grpo = defineAlgorithm({
  ...groupTraining,
  name: 'grpo',
  description: "GRPO: an episode's advantage is its return relative to other episodes of the same task",
  options,
  train: (run, options) =>
    trainOnGroups(run, options, (episodes) => {
      const advantages = episodeAdvantages(episodes, options.advantage);
      return { advantages: episodes.map(({ rewards }, e) => rewards.map(() => advantages[e])) };
    }),
});

/** Computes GRPO's advantages, [episodes]. */
export function episodeAdvantages(
  episodes: readonly GroupEpisode[],
  { scaleByStd, statistics }: { scaleByStd: boolean; statistics: 'episode' | 'turn' },
): number[] {
  // With advantage.statistics=turn an episode counts as many times as it has turns.
  const repeated = episodes.map(({ rewards }) => (statistics === 'turn' ? rewards.length : 1));
  const rows = episodes.flatMap((episode, e) => new Array<GroupEpisode>(repeated[e]).fill(episode));
  const advantages = groupRelativeAdvantages(
    rows.map(shapedReturn),
    rows.map(({ group }) => group),
    { baseline: 'mean', scaleEpsilon: scaleByStd ? STD_EPSILON : null },
  );
  let row = 0;
  return repeated.map((turns) => advantages[(row += turns) - 1]);
}
