// Advantage-weighted regression trains a critic to predict the returns of a dataset, and a policy to imitate each action with a weight
// that grows with its return minus the critic's value, here on utterances. Source: Peng et al. 2019, arXiv:1910.00177, algorithm 1, on a
// fixed dataset (its section 5.3). Differences from it: awr.md.
import { group, unitOptions } from '@bowyer/core';
import { headMetrics, qTargets, tdStepsOption } from '../archer/critic.js';
import { rewardedEpisodes } from '../dataset/rewarded-episodes.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { criticOf, datasetOf } from '../run/training-run.js';
import { stepCritic } from './iql-critic.js';
import { neverLearns, offlineCriticMembers, offlineOptions, offlineSteps } from './passes.js';
import { accumulateAwr, awrOption, headsAt } from './weighted-likelihood.js';

const options = unitOptions({
  ...offlineOptions(0, 'the critic alone learns'),
  critic: group({ ...offlineCriticMembers, td_steps: tdStepsOption(null) }, 'the update of the critic'),
  awr: awrOption,
});

export const awr = defineAlgorithm({
  name: 'awr',
  description: 'advantage-weighted regression: imitates the actions of a dataset whose return exceeds the expected one',
  options,
  needs: { critic: 'double', source: 'dataset', turnRewards: true },

  async train(run, options) {
    const { policy } = run;
    const critic = criticOf(run);
    const episodes = rewardedEpisodes(datasetOf(run), 'awr weighs actions by their returns');

    await offlineSteps(run, episodes, options, async ({ parts, epoch, lr }) => {
      // V regresses on the returns R of the dataset. The Q heads do too, only to report how well they predict returns.
      const metrics = await stepCritic(
        critic,
        parts,
        async (turns) => {
          const transitions = turns.map(({ trajectory, turn }) => trajectory.transitions[turn]);
          const [one, two] = await qTargets(critic, turns, null, options);
          const result = await critic.accumulateGradients({
            observations: transitions.map(({ observation }) => observation),
            actions: transitions.map(({ action }) => action),
            q1Targets: one,
            q2Targets: two,
            v1Targets: one,
            v2Targets: two,
          });
          return headMetrics(result, [one, two]);
        },
        options.critic,
      );
      if (epoch < options.actor.warmupEpochs) return metrics;

      // The policy imitates with weights exp((R − V) / β), where V is the mean of both heads.
      const regression = await run.step(
        parts,
        async (turns) => {
          const [one, two] = await qTargets(critic, turns, null, options);
          const { v1, v2 } = await headsAt(critic, turns);
          const advantages = one.map((value, i) => (value + two[i] - v1[i] - v2[i]) / 2);
          return accumulateAwr(policy, turns, advantages, options);
        },
        { lr, maxGradNorm: options.actor.maxGradNorm },
      );
      return { ...metrics, ...regression };
    });
  },

  problems: neverLearns,
});
