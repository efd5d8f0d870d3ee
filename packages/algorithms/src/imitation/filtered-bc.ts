// Filtered behaviour cloning: imitate only the best episodes of a dataset.
// Source: the percentile-BC baseline of Chen et al. 2021, arXiv:2106.01345, section 5.1; on text games Abdulhai et al. 2023,
// arXiv:2311.18232 ("% BC").
// Differs from them: ties at the cutoff all stay, so more than the given share may be imitated.
import { episodicReturn, fraction, group, quantile, unitOptions } from '@bowyer/core';
import { rewardedEpisodes } from '../dataset/rewarded-episodes.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { datasetOf } from '../run/training-run.js';
import { cloneEpisodes, cloneOptions } from './bc.js';

const options = unitOptions({
  // The rate suits the small built-in policy.
  ...cloneOptions({ epochs: 16, lr: 4e-3, schedule: { warmupSteps: 20, finalShare: 0.1 } }),
  filter: group(
    {
      quantile: fraction(
        0.9,
        'episodes with a return at or above this quantile of the dataset are imitated; 0: all episodes',
        { flat: 'filter_quantile' },
      ),
    },
    'which episodes are imitated',
  ),
});

export const filteredBc = defineAlgorithm({
  name: 'filteredbc',
  description: 'filtered behaviour cloning: imitates the best episodes of a dataset',
  options,
  needs: { source: 'dataset', turnRewards: true },

  async train(run, options) {
    const episodes = rewardedEpisodes(datasetOf(run), 'filteredbc chooses episodes by their return');

    // Keep the best episodes, judged by undiscounted return.
    const cutoff = quantile(episodes.map(episodicReturn), options.filter.quantile);
    const kept = episodes.filter((episode) => episodicReturn(episode) >= cutoff);
    const filter = { 'filter/cutoff': cutoff, 'filter/kept_share': kept.length / episodes.length };

    // Imitate them. The episodes held out for the loss are some of those kept.
    await cloneEpisodes(run, kept, options, filter);
  },
});
