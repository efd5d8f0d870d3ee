// Filtered behaviour cloning imitates only the best episodes of a dataset, or the conversations with the best scores. Source: the
// percentile-BC baseline of Chen et al. 2021, arXiv:2106.01345, section 5.1; on text games Abdulhai et al. 2023, arXiv:2311.18232
// ("% BC"). Differs from them: the share is a quantile of episodes instead of time steps; all ties at the cutoff are kept; the
// policy is a language model, not an MLP.
import { episodicReturn, fraction, group, quantile, unitOptions } from '@bowyer/core';
import { rewardedEpisodes } from '../dataset/rewarded-episodes.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { datasetOf, type ConversationOutcome, type Dataset } from '../run/training-run.js';
import { cloneConversations, cloneEpisodes, cloneOptions } from './bc.js';

const options = unitOptions({
  // The learning rate is for the small built-in policy.
  ...cloneOptions({ epochs: 16, lr: 4e-3, schedule: { warmupSteps: 20, finalShare: 0.1 } }),
  filter: group(
    {
      quantile: fraction(
        0.9,
        'episodes with a return, and conversations with a reward, at or above this quantile of the dataset are imitated; 0: all of them',
        { flat: 'filter_quantile' },
      ),
    },
    'which episodes or conversations are imitated',
  ),
});

export const filteredBc = defineAlgorithm({
  name: 'filteredbc',
  description: 'filtered behaviour cloning: imitates the best episodes of a dataset, or the best conversations',
  options,
  needs: { source: 'dataset', preferences: true },

  async train(run, options) {
    const dataset = datasetOf(run);
    if (dataset.kind === 'conversations') {
      const outcomes = scoredOutcomes(dataset);
      const { cutoff, metrics } = filterOf(new Map(outcomes.map((one) => [one.conversation, one.score])), options);
      const kept = dataset.conversations.filter((_, i) => outcomes[i].score >= cutoff);
      return cloneConversations(run, kept, options, metrics);
    }
    const episodes = rewardedEpisodes(dataset, 'filteredbc chooses episodes by their return');
    const { cutoff, metrics } = filterOf(new Map(episodes.map((episode, i) => [i, episodicReturn(episode)])), options);
    const kept = episodes.filter((episode) => episodicReturn(episode) >= cutoff);
    // The held-out episodes, on which only the loss is measured, are drawn from the episodes that passed the filter.
    return cloneEpisodes(run, kept, options, metrics);
  },
});

/** Computes the smallest return that is imitated, and metrics of the filter. */
function filterOf(
  returns: ReadonlyMap<number, number>,
  { filter }: { filter: { quantile: number } },
): { cutoff: number; metrics: Metrics } {
  const all = [...returns.values()];
  const cutoff = quantile(all, filter.quantile);
  const kept = all.filter((each) => each >= cutoff).length;
  return { cutoff, metrics: { 'filter/cutoff': cutoff, 'filter/kept_share': kept / all.length } };
}

/** Returns the outcome of each conversation. @throws if a conversation has no score */
function scoredOutcomes({
  conversations,
  outcomes = [],
}: Extract<Dataset, { kind: 'conversations' }>): ConversationOutcome[] {
  const scored = outcomes.filter((outcome) => outcome !== null);
  if (scored.length === conversations.length) return scored;
  throw new Error(
    `filteredbc chooses conversations by their reward, and ${conversations.length - scored.length} of ${conversations.length} have none\n` +
      '  give each line a "reward", or the folder of a record with rewards; algorithm=bc imitates all of them',
  );
}
