// The critic's half of ArCHer, which CHAI shares: utterance-level TD with a slow target.
// Source: Zhou et al. 2024, arXiv:2402.19446, section 3.2; loss and order of steps from the authors' code at 7c771a7.
// Differs from that code: what one phase needs is drawn at its start, so that fresh utterances are sampled in large batches.
import {
  count,
  mean,
  oneOf,
  rate,
  share,
  type ConfigProblem,
  type Ranks,
  type ReplayBuffer,
  type Rng,
  type Trajectory,
} from '@bowyer/core';
import type { DoubleCritic } from '@bowyer/models';
import { freshUtterances, type StatesToAct } from '../rollout/fresh-utterances.js';
import type { Player } from '../rollout/player.js';
import type { Metrics, OpenPlayer, PlayOptions, ReplayItem, RunHooks } from '../types.js';
import { headMetrics } from './critic-metrics.js';
import { combined, criticTargetKeys, qTargets, type CriticTargetOptions, type Pair } from './critic-targets.js';
import { gradientAccumulationKeys } from './gradient-accumulation.js';
import { RunningMeans } from './running-means.js';
import type { SharedClip } from './shared-clip.js';

export const criticKeys = {
  capacity: count('size of the replay buffer in turns'),
  epochs: count('optimizer steps on the critic per iteration'),
  ...gradientAccumulationKeys('turns'),
  critic_lr: rate('learning rate of the critic'),
  critic_max_grad_norm: rate('upper bound of the global norm of the critic gradient'),
  tau: share('Polyak step of the target critic after every optimizer step: target = (1 - tau) * target + tau * critic'),
  v_target_action: oneOf(
    ['stored', 'policy'],
    'action in the target of the V heads: the stored one, or a fresh sample of the policy, as in the paper',
  ),
  v_target_samples: count(
    'fresh samples whose values are averaged in the target of the V heads; more than 1 only with v_target_action=policy',
  ),
  ...criticTargetKeys,
};

export interface CriticOptions extends CriticTargetOptions, Pick<PlayOptions, 'slots' | 'sampling'> {
  /** Optimizer steps on the critic per iteration. */
  epochs: number;
  /** Transitions per micro-batch. */
  batchSize: number;
  /** Micro-batches per optimizer step. */
  gradAccumSteps: number;
  gradReduction: 'sum' | 'mean';
  criticLr: number;
  criticMaxGradNorm: number;
  /** Polyak step τ after every optimizer step: x̄ ← (1 − τ) x̄ + τ x. */
  tau: number;
  /** Where the V heads' action comes from: the stored one, or a fresh sample of the policy as in the paper. */
  vTargetAction: 'stored' | 'policy';
  vTargetSamples: number;
}

export interface CriticUpdate {
  critic: DoubleCritic;
  replay: ReplayBuffer<ReplayItem>;
  clip: SharedClip;
  hooks: Pick<RunHooks, 'progress'>;
  /** The processes that train together; this one alone if not given. */
  ranks?: Ranks;
  /** The acting policy, whose fresh utterances the V heads may learn from. */
  openPlayer: OpenPlayer;
  /** Whether the critic chooses what the player does: then fresh utterances are those of one optimizer step at a time. */
  playsWithCritic?: boolean;
}

/** A problem where several samples are asked for, and none is drawn. */
export function criticProblems({
  vTargetAction,
  vTargetSamples,
}: Pick<CriticOptions, 'vTargetAction' | 'vTargetSamples'>): ConfigProblem[] {
  if (vTargetSamples === 1 || vTargetAction === 'policy') return [];
  return [
    {
      key: 'v_target_samples',
      message: `v_target_samples=${vTargetSamples}: with v_target_action=stored there is one action per turn, the stored one`,
      remedy: 'write v_target_action=policy for fresh samples, or v_target_samples=1',
    },
  ];
}

/** Importance weights of stored utterances; null: none. */
export type WeightsOf = ((episodes: Iterable<Trajectory>) => Promise<Map<Trajectory, Float32Array>>) | null;

/**
 * `epochs` optimizer steps of L = Σ_i mean (Q_i − y^Q_i)² + mean (V_i − y^V_i)².
 *
 * Random numbers are drawn before the first step, micro-batch after micro-batch: its turns, then (with fresh utterances) their seed.
 *
 * @param weightsOf asked once, for all episodes of the phase
 */
export async function updateCritic(
  learner: CriticUpdate,
  rng: Rng,
  options: CriticOptions,
  weightsOf: WeightsOf = null,
): Promise<Metrics> {
  const { critic, clip, hooks } = learner;
  const { vTargetSamples: samples } = options;
  const steps = Array.from({ length: options.epochs }, () => drawStep(learner.replay, rng, options));
  const drawn = steps.flat().flatMap(({ items }) => items.map(({ trajectory }) => trajectory));
  const importance = weightsOf && (await weightsOf(drawn));
  const player = options.vTargetAction === 'policy' ? await learner.openPlayer(options.sampling) : null;
  const means = new RunningMeans();
  try {
    let fresh: ReplayItem[][][] = [];
    for (let epoch = 0; epoch < options.epochs; epoch++) {
      if (player !== null && (epoch === 0 || learner.playsWithCritic))
        fresh = await sampleFor(
          player,
          learner.playsWithCritic ? steps[epoch] : steps.flat(),
          samples,
          learner,
          options,
        );
      for (const { items } of steps[epoch])
        means.add(await accumulateTd(critic, items, fresh.shift() ?? [items], importance, options));
      const norm = await clip.step('critic', critic.optimizer, options.criticLr, options.gradAccumSteps, {
        maxGradNorm: options.criticMaxGradNorm,
        gradReduction: options.gradReduction,
      });
      means.add({ 'optim/critic_gradient_norm': norm });
      await critic.polyak(options.tau);
      hooks.progress('critic', epoch + 1, options.epochs);
    }
  } finally {
    await player?.close();
  }
  return means.values();
}

/** The micro-batches of one optimizer step. */
const drawStep = (replay: ReplayBuffer<ReplayItem>, rng: Rng, options: CriticOptions): StatesToAct[] =>
  Array.from({ length: options.gradAccumSteps }, () => ({
    items: replay.sample(options.batchSize, rng),
    seed: options.vTargetAction === 'policy' ? rng.uint32() : 0,
  }));

function sampleFor(
  player: Player,
  batches: readonly StatesToAct[],
  samples: number,
  { hooks, ranks }: Pick<CriticUpdate, 'hooks' | 'ranks'>,
  { slots, batchSize }: CriticOptions,
): Promise<ReplayItem[][][]> {
  const total = batches.length * batchSize * samples;
  return freshUtterances(player, batches, {
    slots,
    samples,
    ranks,
    progress: (done) => hooks.progress('fresh utterances', done, total),
  });
}

/**
 * Forward and backward of one micro-batch; gradients are added.
 *
 * @param samples the items themselves, or fresh utterances at their states
 */
async function accumulateTd(
  critic: DoubleCritic,
  items: readonly ReplayItem[],
  samples: readonly (readonly ReplayItem[])[],
  importance: ReadonlyMap<Trajectory, Float32Array> | null,
  options: CriticOptions,
): Promise<Metrics> {
  const observations = items.map((item) => transitionOf(item).observation);
  const [q1Targets, q2Targets] = await qTargets(critic, items, importance, options);
  const { heads, targets } = await vTargets(critic, observations, samples, options);
  // A stored action of an older policy counts as often as the policy would take it now.
  const rho =
    importance !== null && options.vTargetAction === 'stored'
      ? Float32Array.from(items, ({ trajectory, turn }) => importance.get(trajectory)![turn])
      : null;
  const result = await critic.accumulateGradients({
    observations,
    actions: items.map((item) => transitionOf(item).action),
    q1Targets,
    q2Targets,
    v1Targets: targets[0],
    v2Targets: targets[1],
    ...(rho && { weights: { v1: rho, v2: rho } }),
  });
  return { ...headMetrics(result, heads), ...(rho && { 'critic/importance_weight_mean': mean(rho) }) };
}

const transitionOf = ({ trajectory, turn }: ReplayItem) => trajectory.transitions[turn];

/** y^V_i = mean over the samples of Q̄_i(s, a). */
async function vTargets(
  critic: DoubleCritic,
  observations: readonly string[],
  samples: readonly (readonly ReplayItem[])[],
  { tdTarget }: CriticOptions,
): Promise<{ heads: Pair; targets: Pair }> {
  const values: Pair[] = [];
  for (const sample of samples) {
    const actions = sample.map((item) => transitionOf(item).action);
    const { q1, q2 } = await critic.evaluate(observations, actions, 'target');
    values.push([q1, q2]);
  }
  const pairs = values.map(([q1, q2]) => combined(q1, q2, tdTarget));
  return { heads: meanPair(values), targets: meanPair(pairs) };
}

function meanPair(pairs: readonly Pair[]): Pair {
  if (pairs.length === 1) return pairs[0];
  const meanOf = (head: 0 | 1) => pairs[0][head].map((_, i) => mean(pairs.map((pair) => pair[head][i])));
  return [meanOf(0), meanOf(1)];
}
