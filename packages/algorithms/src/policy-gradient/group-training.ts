// Runs the loop that algorithms with groups share: play, estimate advantages, update. They differ in the estimate only.
import type { TObject } from '@sinclair/typebox';
import { group, mean, type ConfigProblem, type OptionsOf, type Trajectory } from '@bowyer/core';
import { onlineActor, policyRate } from '../learning/policy-rate.js';
import { klReference, referenceOption, type ReferencePolicy } from '../learning/reference-policy.js';
import { scoredIds, turnsOf, utterancesOf } from '../learning/pack-turns.js';
import { aloneProblems, groupMembers, groupProblems } from '../rollout/collect-groups.js';
import { rolloutMetrics } from '../rollout/episode-metrics.js';
import { loopOptions } from '../rollout/loop-options.js';
import type { PlayOptions } from '../rollout/player.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { noteEstimate } from '../rollout/turn-estimates.js';
import type { AlgorithmRun } from '../run/algorithm-run.js';
import {
  klMembers,
  passMembers,
  policyUpdateProblems,
  surrogateLoss,
  surrogateOffPolicyProblems,
  type AdvantageTurn,
} from './policy-loss.js';
import { referenceLogprobs, updatePolicy } from './policy-update.js';

/** Defaults of options that differ between the algorithms with groups; a default that is not given is that of GRPO. */
interface GroupDefaults {
  iterations?: number;
  groupSize?: number;
  invalidPenalty?: number;
  loss?: Parameters<typeof surrogateLoss>[0];
  kl: Parameters<typeof klMembers>[0];
}

export const groupTrainingOptions = ({ iterations = 150, groupSize, invalidPenalty, loss, kl }: GroupDefaults) => ({
  ...loopOptions({ iterations }, groupMembers({ groupSize, invalidPenalty })),
  actor: onlineActor({ lr: 1e-6 }, passMembers()),
  loss: surrogateLoss(loss),
  kl: group(klMembers(kl), 'the penalty that keeps the policy near its start'),
  reference: referenceOption,
});

type GroupTrainingOptions = OptionsOf<TObject<ReturnType<typeof groupTrainingOptions>>> & PlayOptions;

/** An episode with what an advantage estimate needs. Arrays are [turns]. */
export interface GroupEpisode {
  trajectory: Trajectory;
  /** Equal for episodes of the same task and seed. */
  group: number;
  /** The environment's rewards, minus penalties for invalid actions and, with the KL in the reward, β · KL of the turn. */
  rewards: number[];
  /** β · k1 of each scored token, where k1 = log π_old − log π_ref, if the KL penalty is in the reward; else empty. */
  tokenPenalties: Float32Array[];
}

/** Estimates advantages. @returns [episodes][turns] the advantage of each utterance, or of each of its scored tokens */
type AdvantageEstimate = (episodes: readonly GroupEpisode[]) => {
  advantages: (number | Float32Array)[][];
  metrics?: Metrics;
};

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
      const step = { rng: run.updateRng(iteration), lr: run.stepScale * policyRate(iteration, options) };
      Object.assign(metrics, await updatePolicy(learner, turns, step, options));
    }
    await run.endIteration(iteration, metrics, played);
  }
}

/** The members of an algorithm's declaration that methods with groups share; only REINFORCE++ accepts groups of one episode. */
export const groupTraining = {
  trainsWithChoices: ['constrained'],
  offPolicyRollouts: surrogateOffPolicyProblems,
  problems: (options: Pick<GroupTrainingOptions, 'rollout' | 'loss'>) => [
    ...groupTrainingProblems(options),
    ...aloneProblems(options),
  ],
} as const;

export const groupTrainingProblems = (options: Pick<GroupTrainingOptions, 'rollout' | 'loss'>): ConfigProblem[] => [
  ...groupProblems(options),
  ...policyUpdateProblems(options),
];

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
    options.rollout.truncatedEpisodes === 'learn' || !transitions.at(-1)!.truncated;
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
  { kl, rollout: { invalidPenalty }, actor: { scoreTerminator } }: GroupTrainingOptions,
): GroupEpisode {
  const { transitions, infos, group, episode } = trajectory;
  const utterances = utterancesOf(trajectory);
  const tokenPenalties =
    kl.in === 'reward' && refLogprobs
      ? refLogprobs.map((ref, turn) => {
          const utterance = utterances.get(turn);
          const length = utterance ? scoredIds(utterance, scoreTerminator).length : 0;
          return Float32Array.from({ length }, (_, t) => kl.coefficient * (utterance!.logprobs[t] - ref[t]));
        })
      : [];
  const rewards = transitions.map(
    ({ reward }, turn) =>
      reward - (infos[turn].invalid ? invalidPenalty : 0) - (tokenPenalties[turn] ? sum(tokenPenalties[turn]) : 0),
  );
  return { trajectory, group: group ?? -1 - episode, rewards, tokenPenalties };
}

/** Sums the rewards of an episode after penalties, undiscounted. */
export const shapedReturn = ({ rewards }: GroupEpisode): number => sum(rewards);

const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};
