// Offline ArCHer with a REINFORCE actor trains IQL's critic on a dataset, and a policy by the critic's advantages of the policy's own
// utterances, with a behaviour-cloning (BC) term that keeps it near the dataset, where the critic is accurate. Source: Zhou et al. 2024,
// arXiv:2402.19446, the offline comparison (IQL with REINFORCE and a BC term; without the term it collapses); critic and order of steps
// from andreazanette/OfflineArcher at 56d3b72, which has no code for this actor. Differences from them: offline_archer.md.
import { group, nonNegative, unitOptions, utteranceAdvantages } from '@bowyer/core';
import { rewardedEpisodes } from '../dataset/rewarded-episodes.js';
import { summary } from '../learning/metric-means.js';
import { freshBatch } from '../rollout/fresh-utterances.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { criticOf, datasetOf } from '../run/training-run.js';
import { accumulateIql, iqlCritic, stepCritic } from './iql-critic.js';
import { neverLearns, offlineOptions, offlineSteps } from './passes.js';
import { accumulateWeighted, headsAt } from './weighted-likelihood.js';

const options = unitOptions({
  ...offlineOptions(1, 'the policy learns by the BC term alone'),
  critic: iqlCritic,
  loss: group(
    {
      bc_coefficient: nonNegative(1, 'weight c of the behaviour-cloning term, in units of the advantage', {
        flat: 'bc_coefficient',
      }),
    },
    'the loss of the policy',
  ),
});

export const offlineArcher = defineAlgorithm({
  name: 'offline_archer',
  description: 'offline ArCHer: the critic of IQL on a dataset, a policy by REINFORCE with a behaviour-cloning term',
  options,
  needs: { critic: 'double', source: 'dataset', turnRewards: true },
  choiceProblems: () => [
    {
      key: 'play.action_choice',
      message: 'offline_archer trains on utterances at states of a dataset, whose valid actions are not kept',
      remedy: 'write play.action_choice=free; for the trained policy, task=evaluate with a choice',
    },
  ],

  async train(run, options) {
    const { policy } = run;
    const critic = criticOf(run);
    const episodes = rewardedEpisodes(datasetOf(run), 'offline_archer learns values from rewards');

    await offlineSteps(run, episodes, options, async ({ parts, epoch, lr, rng }) => {
      // The critic evaluates no action outside of the dataset.
      const metrics = await stepCritic(critic, parts, (turns) => accumulateIql(critic, turns, options), options.critic);

      // L = −mean A(s, a~) log π(a~|s) − c · mean log π(a|s), where a~ are the policy's own utterances and A = min Q − min V.
      const reinforces = epoch >= options.actor.warmupEpochs;
      const actor = await run.step(
        parts,
        async (turns) => {
          const cloned = {
            'losses/bc': await accumulateWeighted(
              policy,
              turns,
              turns.map(() => options.loss.bcCoefficient),
              options.actor,
            ),
          };
          if (!reinforces) return cloned;
          const { slots, sampling } = options;
          const fresh = await freshBatch(run.openPlayer, turns, { slots, sampling, ranks: run.ranks }, rng);
          const advantages = utteranceAdvantages(await headsAt(critic, fresh));
          const loss = await accumulateWeighted(policy, fresh, advantages, options.actor);
          return { ...cloned, 'losses/policy': loss, ...summary('actor/advantages', advantages) };
        },
        { lr, maxGradNorm: options.actor.maxGradNorm },
      );
      return { ...metrics, ...actor };
    });
  },

  problems: neverLearns,
});
