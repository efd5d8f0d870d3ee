// DPO on whole episodes: of a group of episodes of one task, the best is preferred to the worst.
// Source: Rafailov et al. 2023, arXiv:2305.18290, eq. 7:
//
//     h = β [ log π(best)/π_ref(best) − log π(worst)/π_ref(worst) ]          L = −mean over pairs of log σ(h)
//
// with log π(episode) = Σ over the agent's tokens (as for trajectories of agents in Song et al. 2024, ETO, arXiv:2403.02502), π_ref the
// start of the run.
// Differs from it: the pairs come from the policy's own games, new ones in every iteration; offline_dpo takes those of a dataset.
import { Type } from '@sinclair/typebox';
import { count, minibatches, Rng, type ConfigProblem, type OptionsOf } from '@bowyer/core';
import { endIteration, endPostponed } from '../rollout/end-iteration.js';
import { collect, rolloutMetrics } from '../rollout/collect.js';
import { groupKeys, groupsOf, wholeGroups } from '../rollout/collect-groups.js';
import { evalDecodingKey, loopKeys } from '../rollout/loop-keys.js';
import { policyPlayer } from '../rollout/policy-player.js';
import type { Metrics, PlayOptions } from '../types.js';
import { rateKeys } from '../update/policy-rate.js';
import {
  preferenceKeys,
  preferencePairs,
  preferenceStep,
  scorePairs,
  type ScoredPair,
} from '../update/preference-update.js';
import { RunningMeans } from '../update/running-means.js';
import { defineAlgorithm, type TrainingRun } from '../unit.js';
import { aloneProblems } from './grpo.js';
import { rateAt } from './group-training.js';

const options = Type.Object(
  {
    ...loopKeys,
    ...evalDecodingKey,
    group_size: groupKeys.group_size,
    inner_epochs: count('passes over the pairs of a rollout'),
    minibatch_size: count('pairs per optimizer step'),
    ...rateKeys,
    ...preferenceKeys,
  },
  { additionalProperties: false },
);

type DpoOptions = OptionsOf<typeof options> & PlayOptions;

export const dpo = defineAlgorithm({
  name: 'dpo',
  description: 'DPO: of a group of its own episodes of one task, the policy prefers the best to the worst',
  options,
  needs: { critic: null, source: 'episodes' },
  trainsPolicy: true,
  playerOptions: [],
  openPlayer: policyPlayer,
  offPolicyRollouts: () => [],

  async train(run, options) {
    const { hooks } = run;
    const openPlayer = policyPlayer(run, options);
    const reference = await run.openReference({ quantization: options.referenceQuantization });
    try {
      const evaluated = { openPlayer };
      await endPostponed(run, evaluated, options);
      for (let iteration = run.firstIteration; iteration < options.iterations && !hooks.stopRequested; iteration++) {
        const rng = Rng.forPurpose(options.seed, `update/${iteration}`);

        const rollout = await collect(run, openPlayer, iteration, options, { groupSize: options.groupSize });
        const metrics: Metrics = rolloutMetrics(rollout);

        const groups = groupsOf(rollout);
        const pairs = groups.flatMap((group) => preferencePairs(group, options.pairsPerGroup));
        metrics['preferences/pairs'] = pairs.length;
        const scored = await scorePairs(reference, pairs, options);
        const lr = rateAt(iteration, options);
        metrics['optim/lm_lr'] = lr;
        if (scored.length > 0) Object.assign(metrics, await prefer(run, scored, rng, lr, options));

        await endIteration(run, { iteration, metrics, rollout }, evaluated, options);
      }
    } finally {
      await reference.release();
    }
  },

  problems: (options): ConfigProblem[] => [...wholeGroups(options), ...aloneProblems(options)],
});

/** `innerEpochs` passes over the pairs. */
async function prefer(
  { policy, hooks }: TrainingRun,
  pairs: readonly ScoredPair[],
  rng: Rng,
  lr: number,
  options: DpoOptions,
): Promise<Metrics> {
  const means = new RunningMeans();
  for (let epoch = 0; epoch < options.innerEpochs; epoch++) {
    for (const batch of minibatches(pairs, options.minibatchSize, rng))
      means.add(await preferenceStep(policy, batch, lr, options));
    hooks.progress('preferences', epoch + 1, options.innerEpochs);
  }
  return means.values();
}
