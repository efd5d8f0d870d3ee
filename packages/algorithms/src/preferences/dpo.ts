// DPO on whole episodes prefers the best of a group of episodes of one task to the worst.
// Source: Rafailov et al. 2023, arXiv:2305.18290, eq. 7:
//
//     h = β [ log π(best)/π_ref(best) − log π(worst)/π_ref(worst) ]          L = −mean over pairs of log σ(h)
//
// with log π(episode) = Σ over the agent's tokens (as for trajectories of agents in Song et al. 2024, ETO, arXiv:2403.02502), and
// π_ref the initial policy of the run. Differs from the source: the pairs come from the policy's own episodes, new ones in every
// iteration; offline_dpo takes those of a dataset.
import { integer, minibatches, unitOptions, type ConfigProblem, type OptionsOf, type Rng } from '@bowyer/core';
import { onlineActor, policyRate } from '../learning/policy-rate.js';
import { RunningMeans } from '../learning/metric-means.js';
import { maxBatchTokensOption } from '../policy-gradient/policy-loss.js';
import { aloneProblems, groupSizeOption, groupsOf, wholeGroups } from '../rollout/collect-groups.js';
import { rolloutMetrics } from '../rollout/episode-metrics.js';
import { loopOptions } from '../rollout/loop-options.js';
import type { PlayOptions } from '../rollout/player.js';
import type { Metrics } from '../rollout/run-hooks.js';
import type { AlgorithmRun } from '../run/algorithm-run.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import {
  accumulatePreferences,
  preferenceOptions,
  preferencePairs,
  scorePairs,
  type ScoredPair,
} from './preference-loss.js';

const options = unitOptions({
  ...loopOptions({ iterations: 150 }, { group_size: groupSizeOption(8) }),
  ...preferenceOptions(1),
  actor: onlineActor(
    { lr: 1e-6 },
    {
      epochs: integer(1, 'passes over the pairs of a rollout', { flat: 'inner_epochs' }),
      minibatch_size: integer(16, 'pairs per optimizer step', { flat: 'minibatch_size' }),
      max_batch_tokens: maxBatchTokensOption('no limit'),
    },
  ),
});

type DpoOptions = OptionsOf<typeof options> & PlayOptions;

export const dpo = defineAlgorithm({
  name: 'dpo',
  description: 'DPO: the policy prefers the best to the worst of a group of its own episodes of one task',
  options,
  offPolicyRollouts: () => [],

  async train(run, options) {
    const reference = await run.openReference(options.reference);
    for await (const iteration of run.iterations()) {
      const rollout = await run.collect(iteration, { groupSize: options.rollout.groupSize });
      const metrics = rolloutMetrics(rollout);

      const pairs = groupsOf(rollout).flatMap((group) => preferencePairs(group, options.pairsPerGroup));
      metrics['preferences/pairs'] = pairs.length;
      const scored = await scorePairs(reference, pairs, options);
      const lr = run.stepScale * policyRate(iteration, options);
      metrics['optim/lm_lr'] = lr;
      if (scored.length > 0) Object.assign(metrics, await prefer(run, scored, run.updateRng(iteration), lr, options));

      await run.endIteration(iteration, metrics, rollout);
    }
  },

  problems: (options): ConfigProblem[] => [...wholeGroups(options), ...aloneProblems(options)],
});

async function prefer(
  run: AlgorithmRun,
  pairs: readonly ScoredPair[],
  rng: Rng,
  lr: number,
  options: DpoOptions,
): Promise<Metrics> {
  const { epochs, minibatchSize, maxGradNorm } = options.actor;
  const means = new RunningMeans();
  const learn = (batch: readonly ScoredPair[]) => accumulatePreferences(run.policy, batch, options);
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const batch of minibatches(pairs, minibatchSize, rng))
      means.add(await run.step([batch], learn, { lr, maxGradNorm }));
    run.hooks.progress('preferences', epoch + 1, epochs);
  }
  return means.values();
}
