// The loop that GRPO, RLOO, REINFORCE++ and GiGPO share: play groups of episodes, estimate advantages, update the policy. The recipes
// differ in the estimate alone.
import { mean, Rng, type ConfigProblem, type Trajectory } from '@bowyer/core';
import type { Quantization } from '@bowyer/models';
import { endIteration, endPostponed } from '../rollout/end-iteration.js';
import { collectGroups, groupKeys, groupProblems, type GroupRolloutOptions } from '../rollout/collect-groups.js';
import { rolloutMetrics } from '../rollout/collect.js';
import type { EvaluateOptions } from '../rollout/evaluate.js';
import { evalDecodingKey, loopKeys } from '../rollout/loop-keys.js';
import { policyPlayer } from '../rollout/policy-player.js';
import { noteEstimate } from '../rollout/turn-estimates.js';
import type { Metrics } from '../types.js';
import { klReference } from '../update/kl-reference.js';
import { policyRate, rateKeys, type PolicyRateOptions } from '../update/policy-rate.js';
import {
  policyUpdateKeys,
  policyUpdateProblems,
  referenceLogprobs,
  updatePolicy,
  type AdvantageTurn,
  type PolicyUpdateOptions,
} from '../update/policy-update.js';
import { scoredIds, utterancesOf } from '../update/turn-batch.js';
import type { ReferencePolicy, TrainingRun } from '../unit.js';

export const groupTrainingKeys = { ...loopKeys, ...evalDecodingKey, ...groupKeys, ...rateKeys, ...policyUpdateKeys };

export interface GroupTrainingOptions
  extends GroupRolloutOptions, PolicyUpdateOptions, Omit<PolicyRateOptions, 'warmupIter'> {
  evalFreq: number;
  evalSize: number;
  evalDecoding: EvaluateOptions['evalDecoding'];
  saveFreq: number;
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
  /** With kl_in=reward: β · k1 of each scored token; else empty. */
  tokenPenalties: Float32Array[];
}

/** @returns [episodes][turns] the advantage of each utterance, or of each of its scored tokens */
export type AdvantageEstimate = (episodes: readonly GroupEpisode[]) => {
  advantages: (number | Float32Array)[][];
  metrics?: Metrics;
};

/** The whole training of a group method, top to bottom. */
export async function trainOnGroups(
  run: TrainingRun,
  options: GroupTrainingOptions,
  estimate: AdvantageEstimate,
): Promise<void> {
  const { hooks } = run;
  const openPlayer = policyPlayer(run, options);
  const reference = await klReference(run, options);
  try {
    const evaluated = { openPlayer };
    await endPostponed(run, evaluated, options);
    for (let iteration = run.firstIteration; iteration < options.iterations && !hooks.stopRequested; iteration++) {
      const rng = Rng.forPurpose(options.seed, `update/${iteration}`);

      const { kept, played, metrics: groupMetrics } = await collectGroups(run, openPlayer, iteration, options);
      const metrics: Metrics = { ...rolloutMetrics(played), ...groupMetrics };

      const { turns, metrics: estimateMetrics } = await advantageTurns(kept, reference, options, estimate);
      Object.assign(metrics, estimateMetrics);
      if (turns.length > 0) {
        const step = { rng, lr: rateAt(iteration, options) };
        Object.assign(metrics, await updatePolicy({ ...run, reference }, turns, step, options));
      }

      await endIteration(run, { iteration, metrics, rollout: played }, evaluated, options);
    }
  } finally {
    await reference?.release();
  }
}

export const groupTrainingProblems = (
  options: Pick<
    GroupTrainingOptions,
    'rolloutSize' | 'groupSize' | 'samplingRounds' | 'lossAggregation' | 'lossDivisor'
  >,
): ConfigProblem[] => [...groupProblems(options), ...policyUpdateProblems(options)];

/** The policy's learning rate in an iteration; there is no warm-up without training. */
export const rateAt = (iteration: number, options: Omit<PolicyRateOptions, 'warmupIter'>): number => {
  const { iterations, lmLr, lmLrFinalShare, lmSchedule } = options;
  return policyRate(iteration, { iterations, lmLr, lmLrFinalShare, lmSchedule, warmupIter: 0 });
};

/** The turns to learn from with their advantages. */
async function advantageTurns(
  trajectories: readonly Trajectory[],
  reference: ReferencePolicy | null,
  options: GroupTrainingOptions,
  estimate: AdvantageEstimate,
): Promise<{ turns: AdvantageTurn[]; metrics: Metrics }> {
  const turns = trajectories.flatMap((trajectory) => trajectory.transitions.map((_, turn) => ({ trajectory, turn })));
  const refs = reference && (await referenceLogprobs(reference, turns, options));
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
