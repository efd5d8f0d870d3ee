// ArCHer's critic, which CHAI shares: two Q and two V heads over utterances, temporal differences with a slow target.
//
//     y^Q_i = r + γ (1 − d) V̄_i(s′)        y^V_i = mean_k Q̄_i(s, a~_k)        L = Σ_i mean (Q_i − y^Q_i)² + mean (V_i − y^V_i)²
//
// The targets come first, then the steps. `critic.accumulateGradients` of @bowyer/models is the squared error of the four heads.
// Source: Zhou et al. 2024, arXiv:2402.19446, section 3.2; loss and order of steps from the authors' code at 7c771a7.
// Differs from that code: what one phase needs is drawn at its start, so that fresh utterances are sampled in large batches.
import { Type } from '@sinclair/typebox';
import {
  count,
  mean,
  nStepReturn,
  nullable,
  oneOf,
  rate,
  share,
  type ConfigProblem,
  type Ranks,
  type ReplayBuffer,
  type Rng,
  type Trajectory,
  type Transition,
} from '@bowyer/core';
import type { DoubleCritic } from '@bowyer/models';
import { gradientAccumulationKeys } from '../learning/gradient-accumulation.js';
import { RunningMeans, summary } from '../learning/metric-means.js';
import { freshUtterances, type StatesToAct } from '../rollout/fresh-utterances.js';
import type { OpenPlayer, Player, PlayOptions } from '../rollout/player.js';
import type { ReplayItem } from '../rollout/replay.js';
import type { Metrics, RunHooks } from '../rollout/run-hooks.js';
import type { SharedClip } from './shared-clip.js';

export const criticTargetKeys = {
  gamma: share('discount per turn'),
  td_steps: nullable(
    count('turns'),
    'number of turns whose rewards are in the target of the Q heads, before the value of the next state; 1: TD, as in ArCHer; null: all turns of the episode (Monte Carlo)',
  ),
  bootstrap_on_limit: Type.Boolean({
    description:
      'bootstrap from the value of the last observation of a truncated episode; false: from 0, as in ArCHer (d = 1)',
  }),
  td_target: oneOf(['own', 'min'], 'a Q head bootstraps from its own target V head, or from the smaller of the two'),
};

export interface CriticTargetOptions {
  /** Discount per turn. */
  gamma: number;
  /** Null: all turns of the episode. */
  tdSteps: number | null;
  /** Whether an episode that was truncated has a value beyond its end. */
  bootstrapOnLimit: boolean;
  /** `own`: head i bootstraps from target head i. `min`: from the smaller of the two. */
  tdTarget: 'own' | 'min';
}

/** Two heads, or two lists of targets. */
export type Pair = [Float32Array, Float32Array];

/** Each head as it is, or the smaller one for both. */
export function combined(one: Float32Array, two: Float32Array, rule: 'own' | 'min'): Pair {
  if (rule === 'own') return [one, two];
  const smaller = one.map((value, i) => Math.min(value, two[i]));
  return [smaller, smaller];
}

/**
 * Targets of Q1 and Q2 at replayed turns, from the target critic's V heads.
 *
 * @param importance of every turn of the items' episodes: ρ of the later turns, which an older policy chose. With null these turns
 *   count as they are, so that more than one step evaluates the policies that played, not the present one
 * @returns [items] each
 */
export async function qTargets(
  critic: DoubleCritic,
  items: readonly ReplayItem[],
  importance: ReadonlyMap<Trajectory, Float32Array> | null,
  options: CriticTargetOptions,
): Promise<Pair> {
  const ahead = items.map((item) => turnsAhead(item, options.tdSteps));
  // Without weights the values of the turns on the way cancel.
  const states = ahead.map((turns) => (importance === null ? turns.slice(-1) : turns));
  const { v1, v2 } = await critic.evaluate(
    states.flatMap((turns) => turns.map(({ nextObservation }) => nextObservation)),
    null,
    'target',
  );
  const targetsOf = (values: Float32Array) => {
    let next = 0;
    return Float32Array.from(items, ({ trajectory, turn }, i) => {
      const own = [...values.subarray(next, (next += states[i].length))];
      if (endsAfter(ahead[i].at(-1)!, options)) own[own.length - 1] = 0;
      const rewards = ahead[i].map(({ reward }) => reward);
      const nextValues = [...new Array<number>(rewards.length - own.length).fill(NaN), ...own];
      const ratios = importance?.get(trajectory)!.subarray(turn + 1, turn + rewards.length);
      return nStepReturn({ rewards, nextValues, ratios }, options.gamma);
    });
  };
  const [one, two] = combined(v1, v2, options.tdTarget);
  return [targetsOf(one), targetsOf(two)];
}

/** The turn itself and those of its episode that its target looks at. */
const turnsAhead = ({ trajectory, turn }: ReplayItem, steps: number | null): readonly Transition[] =>
  trajectory.transitions.slice(turn, steps === null ? undefined : turn + steps);

/** Whether nothing of value lies beyond a turn. */
const endsAfter = (
  { terminated, truncated }: Transition,
  { bootstrapOnLimit }: Pick<CriticTargetOptions, 'bootstrapOnLimit'>,
): boolean => terminated || (truncated && !bootstrapOnLimit);

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
  /** The action in the target of the V heads: the stored one, or a fresh sample of the policy as in the paper. */
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

/**
 * Losses of the four heads, and their outputs before the step.
 *
 * @param targets the target critic's Q1 and Q2 that V1 and V2 regressed on
 */
export function headMetrics(
  result: Awaited<ReturnType<DoubleCritic['accumulateGradients']>>,
  [targetQ1, targetQ2]: Pair,
): Metrics {
  const { q1, q2, v1, v2 } = result;
  return {
    'losses/q1': result.q1Loss,
    'losses/q2': result.q2Loss,
    'losses/v1': result.v1Loss,
    'losses/v2': result.v2Loss,
    ...summary('critic/q1', q1),
    ...summary('critic/q2', q2),
    ...summary('critic/v1', v1),
    ...summary('critic/v2', v2),
    ...summary('critic/target_q1', targetQ1),
    ...summary('critic/target_q2', targetQ2),
  };
}
