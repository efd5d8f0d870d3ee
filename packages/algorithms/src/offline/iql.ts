// Implicit Q-learning trains a critic to predict the value of the best actions of a dataset, without evaluating other actions, and a
// policy that imitates actions with weights that grow with their advantages, here on utterances. With ArCHer's critic it is offline
// ArCHer. Source: Kostrikov et al. 2021, arXiv:2110.06169, algorithm 1; on utterances Zhou et al. 2024, arXiv:2402.19446, and its
// offline code (andreazanette/OfflineArcher at 56d3b72). Differences from them: iql.md.
import { unitOptions, utteranceAdvantages } from '@bowyer/core';
import { rewardedEpisodes } from '../dataset/rewarded-episodes.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { criticOf, datasetOf } from '../run/training-run.js';
import { accumulateIql, iqlCritic, stepCritic } from './iql-critic.js';
import { neverLearns, offlineOptions, offlineSteps } from './passes.js';
import { accumulateAwr, awrOption, headsAt } from './weighted-likelihood.js';

const options = unitOptions({
  ...offlineOptions(0, 'the critic alone learns'),
  critic: iqlCritic,
  awr: awrOption,
});

export const iql = defineAlgorithm({
  name: 'iql',
  description:
    'implicit Q-learning: a critic by expectile regression on a dataset, a policy by advantage-weighted regression',
  options,
  needs: { critic: 'double', source: 'dataset', turnRewards: true },

  async train(run, options) {
    const { policy } = run;
    const critic = criticOf(run);
    const episodes = rewardedEpisodes(datasetOf(run), 'iql learns values from rewards');

    await offlineSteps(run, episodes, options, async ({ parts, epoch, lr }) => {
      // Q by TD, V by expectile regression on Q: no action outside of the dataset is evaluated.
      const metrics = await stepCritic(critic, parts, (turns) => accumulateIql(critic, turns, options), options.critic);
      if (epoch < options.actor.warmupEpochs) return metrics;

      // The policy is trained by weighted imitation, with A = min Q − min V.
      const extraction = await run.step(
        parts,
        async (turns) => accumulateAwr(policy, turns, utteranceAdvantages(await headsAt(critic, turns)), options),
        { lr, maxGradNorm: options.actor.maxGradNorm },
      );
      return { ...metrics, ...extraction };
    });
  },

  problems: neverLearns,
});
