// The loop that GRPO, RLOO, REINFORCE++, GiGPO and HGPO share: play groups of episodes, estimate advantages, update the policy. The recipes
// differ in the estimate alone.
import { mean, type ConfigProblem, type Trajectory } from '@bowyer/core';
import type { Quantization } from '@bowyer/models';
import { policyRateFromStart, rateKeys, type PolicyRateOptions } from '../learning/policy-rate.js';
import { klReference, type ReferencePolicy } from '../learning/reference-policy.js';
import { scoredIds, turnsOf, utterancesOf } from '../learning/pack-turns.js';
import { groupKeys, groupProblems, type GroupRolloutOptions } from '../rollout/collect-groups.js';
import { rolloutMetrics } from '../rollout/episode-metrics.js';
import { evalDecodingKey, loopKeys } from '../rollout/loop-keys.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { noteEstimate } from '../rollout/turn-estimates.js';
import type { AlgorithmRun } from '../run/algorithm-run.js';
import {
  policyUpdateKeys,
  policyUpdateProblems,
  surrogateOffPolicyProblems,
  type AdvantageTurn,
  type PolicyUpdateOptions,
} from './policy-loss.js';
import { referenceLogprobs, updatePolicy } from './policy-update.js';

export const groupTrainingKeys = { ...loopKeys, ...evalDecodingKey, ...groupKeys, ...rateKeys, ...policyUpdateKeys };

export interface GroupTrainingOptions
  extends GroupRolloutOptions, PolicyUpdateOptions, Omit<PolicyRateOptions, 'warmupIter'> {
  invalidPenalty: number;
  referenceQuantization: Quantization;
  truncatedEpisodes: 'learn' | 'mask';
}

/** An episode as an estimate of advantages sees it. Arrays are [turns]. */
export interface GroupEpisode {
  trajectory: Trajectory;
  /** The same number for episodes of the same task and seed. */
  group: number;
  /** The environment's rewards, minus penalties for invalid actions and, with kl_in=reward, β · KL of the turn. */
  rewards: number[];
  /** β · k1 of each scored token with kl_in=reward; else empty. */
  tokenPenalties: Float32Array[];
}

/** @returns [episodes][turns] the advantage of each utterance, or of each of its scored tokens */
export type AdvantageEstimate = (episodes: readonly GroupEpisode[]) => {
  advantages: (number | Float32Array)[][];
  metrics?: Metrics;
};

/** The whole training of a group method, top to bottom. */
export async function trainOnGroups(
  run: AlgorithmRun,
  options: GroupTrainingOptions,
  estimate: AdvantageEstimate,
): Promise<void> {
  const reference = await klReference(run, options);
  const learner = { ...run, reference };
  for await (const iteration of run.iterations()) {
    const { kept, played, metrics: groupMetrics } = await run.collectGroups(iteration);
    const { turns, metrics: estimateMetrics } = await advantageTurns(kept, reference, options, estimate);
    const metrics = { ...rolloutMetrics(played), ...groupMetrics, ...estimateMetrics };
    if (turns.length > 0) {
      const step = { rng: run.updateRng(iteration), lr: run.stepScale * policyRateFromStart(iteration, options) };
      Object.assign(metrics, await updatePolicy(learner, turns, step, options));
    }
    await run.endIteration(iteration, metrics, played);
  }
}

/** Members of a unit that the group methods have in common. */
export const groupTraining = {
  trainsWithChoices: ['constrained'],
  offPolicyRollouts: surrogateOffPolicyProblems,
} as const;

export const groupTrainingProblems = (
  options: Pick<
    GroupTrainingOptions,
    'rolloutSize' | 'groupSize' | 'samplingRounds' | 'lossAggregation' | 'lossDivisor'
  >,
): ConfigProblem[] => [...groupProblems(options), ...policyUpdateProblems(options)];

/** The turns to learn from with their advantages. */
async function advantageTurns(
  trajectories: readonly Trajectory[],
  reference: ReferencePolicy | null,
  options: GroupTrainingOptions,
  estimate: AdvantageEstimate,
): Promise<{ turns: AdvantageTurn[]; metrics: Metrics }> {
  const refs = reference && (await referenceLogprobs(reference, turnsOf(trajectories), options));
  let next = 0;
  const refsOf = trajectories.map(({ transitions }) => refs?.slice(next, (next += transitions.length)));
  const episodes = trajectories.map((trajectory, e) => groupEpisode(trajectory, refsOf[e], options));
  if (episodes.length === 0) return { turns: [], metrics: {} };
  const { advantages, metrics = {} } = estimate(episodes);
  trajectories.forEach((trajectory, e) =>
    advantages[e].forEach((own, turn) =>
      noteEstimate(trajectory, turn, { advantage: typeof own === 'number' ? own : mean(own) }),
    ),
  );
  const isLearned = ({ transitions }: Trajectory) =>
    options.truncatedEpisodes === 'learn' || !transitions.at(-1)!.truncated;
  return {
    turns: trajectories.flatMap((trajectory, e) =>
      isLearned(trajectory)
        ? trajectory.transitions.map((_, turn) => ({
            trajectory,
            turn,
            advantages: advantages[e][turn],
            refLogprobs: refsOf[e]?.[turn],
          }))
        : [],
    ),
    metrics: { 'rollout/shaped_return': mean(episodes.map(({ rewards }) => sum(rewards))), ...metrics },
  };
}

function groupEpisode(
  trajectory: Trajectory,
  refLogprobs: readonly Float32Array[] | undefined,
  { klCoefficient, klIn, invalidPenalty, scoreTerminator }: GroupTrainingOptions,
): GroupEpisode {
  const { transitions, infos, group, episode } = trajectory;
  const utterances = utterancesOf(trajectory);
  const tokenPenalties =
    klIn === 'reward' && refLogprobs
      ? refLogprobs.map((ref, turn) => {
          const utterance = utterances.get(turn);
          const length = utterance ? scoredIds(utterance, scoreTerminator).length : 0;
          return Float32Array.from({ length }, (_, t) => klCoefficient * (utterance!.logprobs[t] - ref[t]));
        })
      : [];
  const rewards = transitions.map(
    ({ reward }, turn) =>
      reward - (infos[turn].invalid ? invalidPenalty : 0) - (tokenPenalties[turn] ? sum(tokenPenalties[turn]) : 0),
  );
  return { trajectory, group: group ?? -1 - episode, rewards, tokenPenalties };
}

/** Undiscounted return of an episode as an estimate sees it. */
export const shapedReturn = ({ rewards }: GroupEpisode): number => sum(rewards);

const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};
