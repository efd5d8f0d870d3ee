// REINFORCE++ is REINFORCE with a clipped ratio and without a critic; advantages are normalised over the whole batch.
// Source: Hu et al. 2025, arXiv:2501.03262:
//
//     G_t = Σ_{k ≥ turn of t} γ^(k − turn) r_k − β Σ_{i ≥ t} (log π_old − log π_ref)_i
//     A_t = (G_t − mean(G)) / (std(G) + ε)           mean and std over all tokens of the batch
//
// With advantage.baseline=group, G_t is the episode's return minus the mean of its group (REINFORCE++-baseline), before the
// normalisation. Differs from the source: an episode has several utterances with a reward each, so that a token's return contains only
// later rewards.
import {
  choice,
  discountedReturns,
  group,
  groupRelativeAdvantages,
  mean,
  standardDeviation,
  unitOptions,
  type ConfigProblem,
  type OptionsOf,
} from '@bowyer/core';
import { gammaOption } from '../learning/learning-options.js';
import { scoredIds, utterancesOf } from '../learning/pack-turns.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import {
  groupTraining,
  groupTrainingOptions,
  groupTrainingProblems,
  shapedReturn,
  trainOnGroups,
  type GroupEpisode,
} from './group-training.js';

const EPSILON = 1e-8;

const options = unitOptions({
  ...groupTrainingOptions({ groupSize: 1, kl: { coefficient: 0.01, kind: 'reward' } }),
  gamma: gammaOption(1),
  advantage: group(
    {
      baseline: choice(
        ['none', 'group'],
        'none',
        'none: returns that follow a turn; group: the return of the episode minus the mean of its group, with algorithm.gamma=1',
        { flat: 'baseline' },
      ),
    },
    'the advantage of a token',
  ),
});

interface ReturnOptions {
  gamma: number;
  advantage: { baseline: 'none' | 'group' };
  actor: { scoreTerminator: boolean };
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

/** Reports options that contradict `advantage.baseline=group`, the mean return of the episode's group. */
function baselineProblems({ advantage, gamma, rollout }: OptionsOf<typeof options>): ConfigProblem[] {
  if (advantage.baseline === 'none') return [];
  const problems: ConfigProblem[] = [];
  if (gamma !== 1)
    problems.push({
      key: 'algorithm.gamma',
      message: `algorithm.gamma=${gamma} with algorithm.advantage.baseline=group: the baseline is the mean undiscounted return of the group`,
      remedy: 'write algorithm.gamma=1, or algorithm.advantage.baseline=none',
    });
  if (rollout.groupSize === 1)
    problems.push({
      key: 'algorithm.rollout.group_size',
      message:
        'algorithm.rollout.group_size=1 with algorithm.advantage.baseline=group: an episode is its own baseline, so every advantage is 0',
      remedy: 'raise algorithm.rollout.group_size, or write algorithm.advantage.baseline=none',
    });
  return problems;
}

/** Computes G of every token, [episodes][turns] of [tokens]. */
export function tokenReturns(episodes: readonly GroupEpisode[], options: ReturnOptions): Float32Array[][] {
  const { baseline } = options.advantage;
  const relative = groupRelativeAdvantages(
    episodes.map(shapedReturn),
    episodes.map(({ group }) => group),
    { baseline: 'mean', scaleEpsilon: null },
  );
  return episodes.map(({ trajectory, rewards, tokenPenalties }, e) => {
    const returns = baseline === 'group' ? rewards.map(() => relative[e]) : discountedReturns(rewards, options.gamma);
    const utterances = utterancesOf(trajectory);
    return returns.map((value, turn) => {
      const utterance = utterances.get(turn);
      const tokens = new Float32Array(utterance ? scoredIds(utterance, options.actor.scoreTerminator).length : 0).fill(
        value,
      );
      // A turn's return contains the penalties of all of its tokens; a token's return only those from this token on.
      let before = 0;
      if (baseline === 'none')
        tokenPenalties[turn]?.forEach((penalty, t) => {
          tokens[t] += before;
          before += penalty;
        });
      return tokens;
    });
  });
}

/** Computes (G − mean) / (std + ε) over all tokens. */
export function normalised(returns: readonly Float32Array[][]): Float32Array[][] {
  const all = returns.flatMap((turns) => turns.flatMap((tokens) => [...tokens]));
  const [center, scale] = [mean(all), standardDeviation(all) + EPSILON];
  return returns.map((turns) => turns.map((tokens) => tokens.map((value) => (value - center) / scale)));
}
