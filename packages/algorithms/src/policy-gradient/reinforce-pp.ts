// REINFORCE++: REINFORCE with a clipped ratio, without a critic; advantages are normalised over the whole batch.
// Source: Hu et al. 2025, arXiv:2501.03262:
//
//     G_t = Σ_{k ≥ turn of t} γ^(k − turn) r_k − β Σ_{i ≥ t} (log π_old − log π_ref)_i
//     A_t = (G_t − mean(G)) / (std(G) + ε)           mean and std over all tokens of the batch
//
// With baseline=group, G_t is the episode's return minus the mean of its group (REINFORCE++-baseline), before the normalisation.
// Differs from it: an episode has several utterances with a reward each, so that a token's return has only the rewards that follow.
import { Type } from '@sinclair/typebox';
import {
  discountedReturns,
  groupRelativeAdvantages,
  mean,
  oneOf,
  share,
  standardDeviation,
  type ConfigProblem,
} from '@bowyer/core';
import { scoredIds, utterancesOf } from '../learning/pack-turns.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import {
  groupTraining,
  groupTrainingKeys,
  groupTrainingProblems,
  shapedReturn,
  trainOnGroups,
  type GroupEpisode,
} from './group-training.js';

/** Added to the standard deviation. */
const EPSILON = 1e-8;

const options = Type.Object(
  {
    ...groupTrainingKeys,
    gamma: share('discount per turn of the rewards that follow; 1 with baseline=group'),
    baseline: oneOf(
      ['none', 'group'],
      'none: returns that follow a turn; group: the return of the episode minus the mean of its group',
    ),
  },
  { additionalProperties: false },
);

interface ReturnOptions {
  gamma: number;
  baseline: 'none' | 'group';
  scoreTerminator: boolean;
}

export const reinforcePp = defineAlgorithm({
  ...groupTraining,
  name: 'reinforce_pp',
  description: 'REINFORCE++: a clipped policy gradient without critic, its advantages normalised over the whole batch',
  options,
  train: (run, options) =>
    trainOnGroups(run, options, (episodes) => ({ advantages: normalised(tokenReturns(episodes, options)) })),
  problems: (options) => [...groupTrainingProblems(options), ...baselineProblems(options)],
});

/** Settings that a baseline of the group does not go with. */
function baselineProblems({ baseline, gamma, groupSize }: { baseline: string; gamma: number; groupSize: number }) {
  if (baseline === 'none') return [];
  const problems: ConfigProblem[] = [];
  if (gamma !== 1)
    problems.push({
      key: 'gamma',
      message: `gamma=${gamma} with baseline=group: the baseline is the mean undiscounted return of the group`,
      remedy: 'write gamma=1, or baseline=none',
    });
  if (groupSize === 1)
    problems.push({
      key: 'group_size',
      message: 'group_size=1 with baseline=group: an episode is its own baseline, so every advantage is 0',
      remedy: 'raise group_size, or write baseline=none',
    });
  return problems;
}

/** [episodes][turns] of [tokens] G. */
export function tokenReturns(episodes: readonly GroupEpisode[], options: ReturnOptions): Float32Array[][] {
  const relative = groupRelativeAdvantages(
    episodes.map(shapedReturn),
    episodes.map(({ group }) => group),
    { baseline: 'mean', scaleEpsilon: null },
  );
  return episodes.map(({ trajectory, rewards, tokenPenalties }, e) => {
    const returns =
      options.baseline === 'group' ? rewards.map(() => relative[e]) : discountedReturns(rewards, options.gamma);
    const utterances = utterancesOf(trajectory);
    return returns.map((value, turn) => {
      const utterance = utterances.get(turn);
      const tokens = new Float32Array(utterance ? scoredIds(utterance, options.scoreTerminator).length : 0).fill(value);
      // The return of the turn contains the penalties of all of its tokens; a token's own those from it on.
      let before = 0;
      if (options.baseline === 'none')
        tokenPenalties[turn]?.forEach((penalty, t) => {
          tokens[t] += before;
          before += penalty;
        });
      return tokens;
    });
  });
}

/** (G − mean) / (std + ε) over all tokens. */
export function normalised(returns: readonly Float32Array[][]): Float32Array[][] {
  const all = returns.flatMap((turns) => turns.flatMap((tokens) => [...tokens]));
  const [center, scale] = [mean(all), standardDeviation(all) + EPSILON];
  return returns.map((turns) => turns.map((tokens) => tokens.map((value) => (value - center) / scale)));
}
