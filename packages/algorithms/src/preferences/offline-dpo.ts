// DPO on a dataset of episodes with rewards prefers, among the episodes of one task, better ones to worse ones. The loss is in
// preference-loss.ts. Source: Rafailov et al. 2023, arXiv:2305.18290, eq. 7. π_ref is the initial policy of the run, which should have
// imitated the dataset before (the folder of a `bc` run as `policy.model`). Differs from the source: preferences come from
// differences of returns. Episodes of the same item of the environment, such as a question, have the same task; without items, those
// with an equal first observation. Conversations of a file have the same task if they begin with the same messages and tools, and
// their return is their score; the chosen answer of a pair has return 1 and the rejected one 0.
import { group, groupBy, integer, scheduledRate, unitOptions, type OptionsOf, type Trajectory } from '@bowyer/core';
import { rewardedEpisodes } from '../dataset/rewarded-episodes.js';
import type { StepReports } from '../dataset/dataset-evaluation.js';
import { epochsOption, isLogged, loggingStepsKey, passesOver, stepsOf } from '../dataset/passes.js';
import { steppedActor } from '../learning/policy-rate.js';
import { maxBatchTokensOption } from '../policy-gradient/policy-loss.js';
import { decodingOption } from '../rollout/loop-options.js';
import type { PlayOptions } from '../rollout/player.js';
import type { Metrics } from '../rollout/run-hooks.js';
import type { AlgorithmRun } from '../run/algorithm-run.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { datasetOf, type Dataset } from '../run/training-run.js';
import { scoredConversations } from './scored-conversations.js';
import {
  accumulatePreferences,
  preferenceOptions,
  preferencePairs,
  scorePairs,
  type ScoredPair,
} from './preference-loss.js';

const options = unitOptions({
  epochs: epochsOption(1),
  ...loggingStepsKey('one line an epoch'),
  ...preferenceOptions(1000),
  actor: steppedActor(
    { lr: 1e-6, schedule: { finalShare: 0 } },
    {
      minibatch_size: integer(32, 'pairs per optimizer step', { flat: 'batch_size' }),
      max_batch_tokens: maxBatchTokensOption('no limit'),
    },
  ),
  eval: group({ decoding: decodingOption('sample') }, 'the final test'),
});

type OfflineDpoOptions = OptionsOf<typeof options> & PlayOptions;

export const offlineDpo = defineAlgorithm({
  name: 'offline_dpo',
  description: 'DPO on a dataset: among episodes of one task, those with a higher return are preferred',
  options,
  needs: { source: 'dataset', preferences: true },

  async train(run, options) {
    const groups = tasksOf(episodesOf(datasetOf(run)));
    const pairs = groups.flatMap((group) => preferencePairs(group, options.pairsPerGroup));
    const reference = await run.openReference(options.reference);
    const scored = await scorePairs(reference, pairs, options).finally(() => reference.release());
    if (scored.length === 0)
      throw new Error(
        `offline_dpo found no two episodes of one task whose returns differ: the dataset has ${groups.length} tasks`,
      );
    await passes(run, scored, options);
  },
});

async function passes(run: AlgorithmRun, pairs: readonly ScoredPair[], options: OfflineDpoOptions): Promise<void> {
  const { minibatchSize, maxGradNorm, lr: peak, schedule } = options.actor;
  const { epochs, seed, loggingSteps } = options;
  const { stepsPerEpoch, totalSteps } = stepsOf(pairs.length, minibatchSize, epochs);
  // The metrics of the steps since the last report are part of a checkpoint.
  const measured = (run.state.epoch ??= []) as Metrics[];
  const learn = (batch: readonly ScoredPair[]) => accumulatePreferences(run.policy, batch, options);
  const reports: StepReports = {
    evaluation: null,
    isDue: (after) => isLogged(after, { stepsPerEpoch, loggingSteps }),
    metricsOf(after) {
      const means = meansOf(measured);
      measured.length = 0;
      return { ...means, 'preferences/pairs': pairs.length, 'optim/steps': after };
    },
  };
  const steps = { items: pairs, size: minibatchSize, epochs, seed, order: 'dpo', reports, phase: 'preferences' };
  await passesOver(run, steps, async (batch, step) => {
    const lr = scheduledRate(peak, step, totalSteps, schedule);
    measured.push(await run.step([batch], learn, { lr, maxGradNorm }));
    return undefined;
  });
}

const meansOf = (measured: readonly Metrics[]): Metrics =>
  Object.fromEntries(
    Object.keys(measured[0]).map((name) => [
      name,
      measured.reduce((sum, metrics) => sum + metrics[name], 0) / measured.length,
    ]),
  );

function episodesOf(dataset: Dataset): Trajectory[] {
  const { kind } = dataset;
  if (kind === 'conversations' && dataset.outcomes?.some((outcome) => outcome !== null))
    return scoredConversations(dataset.conversations, dataset.outcomes);
  return rewardedEpisodes(dataset, 'offline_dpo prefers episodes by their return');
}

function tasksOf(episodes: readonly Trajectory[]): Trajectory[][] {
  const tasks = groupBy(episodes, ({ item, transitions: [{ state, observation }] }) =>
    item === undefined ? `begins ${state ?? observation}` : `item ${item}`,
  );
  return [...tasks.values()];
}
