// RLOO is REINFORCE with the mean return of the other episodes of the same task as its baseline.
// Source: Ahmadian et al. 2024, arXiv:2402.14740, eq. 8:
//
//     A_i = R_i − mean(R_j, j ≠ i)         R_i = return − β Σ_t (log π_old − log π_ref)
//     L   = −mean_i A_i Σ_t log π(a_t | s, a_<t)
//
// With the clipped ratio on tokens it is LOOP (Chen et al. 2025, arXiv:2502.01600); on-policy, with actor.epochs=1 and one minibatch,
// every ratio is 1 and the gradient is that of L.
// Differences from Ahmadian et al.: an episode has several utterances; the leave-one-out mean is over episodes, never over turns.
import { groupRelativeAdvantages, unitOptions } from '@bowyer/core';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { groupTraining, groupTrainingOptions, shapedReturn, trainOnGroups } from './group-training.js';

const options = unitOptions(
  groupTrainingOptions({
    loss: { aggregation: 'sequence_mean_token_sum' },
    kl: { coefficient: 0.05, kind: 'reward' },
  }),
);

export const rloo = defineAlgorithm({
  ...groupTraining,
  name: 'rloo',
  description: 'RLOO: REINFORCE with the mean return of the other episodes of the same task as baseline',
  options,
  train: (run, options) =>
    trainOnGroups(run, options, (episodes) => {
      const advantages = groupRelativeAdvantages(
        episodes.map(shapedReturn),
        episodes.map(({ group }) => group),
        { baseline: 'others', scaleEpsilon: null },
      );
      return { advantages: episodes.map(({ rewards }, e) => rewards.map(() => advantages[e])) };
    }),
});
