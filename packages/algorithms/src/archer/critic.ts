// Trains ArCHer's critic, which CHAI uses too: two Q and two V heads over utterances learn by temporal differences.
//
//     y^Q_i = r + γ (1 − d) V̄_i(s′)        y^V_i = mean_k Q̄_i(s, ã_k)        L = Σ_i mean (Q_i − y^Q_i)² + mean (V_i − y^V_i)²
//
// for i = 1, 2, where d is 1 at the end of an episode, a bar marks the slowly updated target network, and ã_k are fresh utterances at s, or
// the stored one. `critic.accumulateGradients` of @bowyer/models is the squared error of the four heads. Source: Zhou et al. 2024,
// arXiv:2402.19446, section 3.2; loss and order of steps from the authors' code at 7c771a7. Differs from that code: the micro-batches
// of all steps of an iteration are drawn first, so that fresh utterances are sampled in large batches.
import type { TNumber, TObject, TSchema } from '@sinclair/typebox';
import {
  choice,
  flag,
  fraction,
  group,
  integer,
  mean,
  nStepReturn,
  optional,
  positive,
  type ConfigProblem,
  type OptionsOf,
  type Ranks,
  type ReplayBuffer,
  type Rng,
  type Trajectory,
  type Transition,
} from '@bowyer/core';
import type { DoubleCritic } from '@bowyer/models';
import { gammaOption, summedBatch } from '../learning/learning-options.js';
import { RunningMeans, summary } from '../learning/metric-means.js';
import { freshUtterances, type StatesToAct } from '../rollout/fresh-utterances.js';
import type { OpenPlayer, Player, PlayOptions } from '../rollout/player.js';
import type { ReplayItem } from '../rollout/replay.js';
import type { Metrics, RunHooks } from '../rollout/run-hooks.js';
import type { SharedClip } from './shared-clip.js';

/** The number of turns whose rewards are in a target of Q. `value`: the default; null: all turns to the end of the episode. */
export const tdStepsOption = (value: number | null) =>
  optional(
    integer,
    'number of turns whose rewards are in the target of the Q heads, before the value of the next state; 1: TD, as in ArCHer; null: all turns of the episode (Monte Carlo)',
    { flat: 'td_steps', default: value },
  );

/** Declares the options of every double critic. `tau`: default rate of the target network's update. */
export const criticMembers = <Norm extends TSchema>(tau: number, maxGradNorm: Norm) => ({
  lr: positive(1e-5, 'learning rate of the critic', { flat: 'critic_lr' }),
  max_grad_norm: maxGradNorm,
  tau: fraction(
    tau,
    'Polyak step of the target critic after every optimizer step: target = (1 - tau) * target + tau * critic',
    { flat: 'tau' },
  ),
  bootstrap_on_limit: flag(
    true,
    'bootstrap from the value of the last observation of a truncated episode; false: from 0, as in ArCHer (d = 1)',
    { flat: 'bootstrap_on_limit' },
  ),
  td_target: choice(
    ['own', 'min'],
    'own',
    'a Q head bootstraps from its own target V head, or from the smaller of the two',
    { flat: 'td_target' },
  ),
});

export const criticNormOption = positive(1, 'upper bound of the global norm of the critic gradient', {
  flat: 'critic_max_grad_norm',
});

interface CriticTargetOptions {
  gamma: number;
  critic: {
    /** The number of turns whose rewards are in a target; null for all turns of the episode. */
    tdSteps: number | null;
    /** Whether a truncated episode's last target bootstraps from the value of the state after it; false: from 0. */
    bootstrapOnLimit: boolean;
    /** The target network's value from which head i bootstraps: `own`, that of target head i; `min`, the smaller one of the two. */
    tdTarget: 'own' | 'min';
  };
}

/** The values, or the targets, of the two Q heads or of the two V heads, each [items]. */
export type Pair = [Float32Array, Float32Array];

/** `min` gives both heads the elementwise minimum of the two. */
export function combined(one: Float32Array, two: Float32Array, rule: 'own' | 'min'): Pair {
  if (rule === 'own') return [one, two];
  const smaller = one.map((value, i) => Math.min(value, two[i]));
  return [smaller, smaller];
}

/**
 * Computes the targets of Q1 and Q2 at stored turns, from the target critic's V heads, each [items].
 *
 * @param importance ρ of every turn of the items' episodes, for later turns, whose actions an older policy chose. With null,
 * targets of several steps estimate values of the policies that played instead of the present one
 */
export async function qTargets(
  critic: DoubleCritic,
  items: readonly ReplayItem[],
  importance: ReadonlyMap<Trajectory, Float32Array> | null,
  options: CriticTargetOptions,
): Promise<Pair> {
  const ahead = items.map((item) => turnsAhead(item, options.critic.tdSteps));
  const isEnd = ahead.map((turns) => endsAfter(turns.at(-1)!, options));
  // Without importance weights only the last state is evaluated, since the values of the states before cancel in the n-step
  // return. The state after the end of an episode has the value 0.
  const states = ahead.map((turns, i) => turns.slice(importance === null ? -1 : 0, isEnd[i] ? -1 : undefined));
  const { v1, v2 } = await critic.evaluate(
    states.flatMap((turns) => turns.map(({ nextObservation }) => nextObservation)),
    null,
    'target',
  );
  const targetsOf = (values: Float32Array) => {
    let next = 0;
    return Float32Array.from(items, ({ trajectory, turn }, i) => {
      const own = [...values.subarray(next, (next += states[i].length)), ...(isEnd[i] ? [0] : [])];
      const rewards = ahead[i].map(({ reward }) => reward);
      const nextValues = [...new Array<number>(rewards.length - own.length).fill(NaN), ...own];
      const ratios = importance?.get(trajectory)!.subarray(turn + 1, turn + rewards.length);
      return nStepReturn({ rewards, nextValues, ratios }, options.gamma);
    });
  };
  const [one, two] = combined(v1, v2, options.critic.tdTarget);
  return [targetsOf(one), targetsOf(two)];
}

/** Lists the turn and the later turns of its episode whose rewards are in its target. */
const turnsAhead = ({ trajectory, turn }: ReplayItem, steps: number | null): readonly Transition[] =>
  trajectory.transitions.slice(turn, steps === null ? undefined : turn + steps);

/** Returns whether the value after a turn is 0 in targets: the episode ended there, or was truncated without bootstrapping. */
const endsAfter = (
  { terminated, truncated }: Transition,
  { critic: { bootstrapOnLimit } }: CriticTargetOptions,
): boolean => terminated || (truncated && !bootstrapOnLimit);

/** `maxGradNorm`: the schema of the bound of the gradient. */
export const criticOptions = <Norm extends TSchema>(maxGradNorm: Norm) => ({
  gamma: gammaOption(0.95),
  batch: summedBatch('turns'),
  critic: group(
    {
      steps: integer(50, 'optimizer steps on the critic per iteration', { flat: 'epochs' }),
      ...criticMembers(0.1, maxGradNorm),
      td_steps: tdStepsOption(1),
      v_target: group(
        {
          action: choice(
            ['stored', 'policy'],
            'policy',
            'action in the target of the V heads: the stored one, or a fresh sample of the policy, as in the paper',
            { flat: 'v_target_action' },
          ),
          samples: integer(
            1,
            'fresh samples whose values are averaged in the target of the V heads; more than 1 only with algorithm.critic.v_target.action=policy',
            { flat: 'v_target_samples' },
          ),
        },
        'the target of the V heads',
      ),
    },
    'the update of the critic',
  ),
});

export type CriticOptions = OptionsOf<TObject<ReturnType<typeof criticOptions<TNumber>>>> &
  Pick<PlayOptions, 'slots' | 'sampling'>;

interface CriticUpdate {
  critic: DoubleCritic;
  replay: ReplayBuffer<ReplayItem>;
  clip: SharedClip;
  hooks: Pick<RunHooks, 'progress'>;
  /** The processes that train together; a single process if not given. */
  ranks?: Ranks;
  /** Opens the acting policy, whose fresh utterances the V heads may learn from. */
  openPlayer: OpenPlayer;
  /** Whether the player uses the critic, so that fresh utterances are sampled again before each step of the critic. */
  playsWithCritic?: boolean;
  /** Frees the working memory of sampling before the first step; not called if the critic chooses actions. */
  rest?: () => Promise<void>;
}

/** Reports a number of samples per state above 1 where V's targets use the stored action, of which each state has only one. */
export function criticProblems({
  critic: {
    vTarget: { action, samples },
  },
}: {
  critic: Pick<CriticOptions['critic'], 'vTarget'>;
}): ConfigProblem[] {
  if (samples === 1 || action === 'policy') return [];
  const target = 'algorithm.critic.v_target';
  return [
    {
      key: `${target}.samples`,
      message: `${target}.samples=${samples}: with ${target}.action=stored there is one action per turn, the stored one`,
      remedy: `write ${target}.action=policy for fresh samples, or ${target}.samples=1`,
    },
  ];
}

/** Computes importance weights of stored utterances; null without importance weights. */
type WeightsOf = ((episodes: Iterable<Trajectory>) => Promise<Map<Trajectory, Float32Array>>) | null;

/**
 * Takes `critic.steps` optimizer steps of L = Σ_i mean (Q_i − y^Q_i)² + mean (V_i − y^V_i)².
 *
 * All random numbers are drawn before the first step: for each micro-batch its turns, then (with fresh utterances) their seed.
 *
 * @param weightsOf called once, with all episodes that the drawn turns belong to
 */
export async function updateCritic(
  learner: CriticUpdate,
  rng: Rng,
  options: CriticOptions,
  weightsOf: WeightsOf = null,
): Promise<Metrics> {
  const { critic, clip, hooks } = learner;
  const { lr, maxGradNorm, tau } = options.critic;
  const { action, samples } = options.critic.vTarget;
  const { accumulationSteps, reduction } = options.batch;
  const steps = Array.from({ length: options.critic.steps }, () => drawStep(learner.replay, rng, options));
  const drawn = steps.flat().flatMap(({ items }) => items.map(({ trajectory }) => trajectory));
  const importance = weightsOf && (await weightsOf(drawn));
  let player = action === 'policy' ? await learner.openPlayer(options.sampling) : null;
  const means = new RunningMeans();
  try {
    let fresh: ReplayItem[][][] = [];
    for (const [step, batches] of steps.entries()) {
      if (player !== null)
        fresh = await sampleFor(player, learner.playsWithCritic ? batches : steps.flat(), samples, learner, options);
      if (player !== null && !learner.playsWithCritic) {
        await player.close();
        player = null;
        await learner.rest?.();
      }
      for (const { items } of batches)
        means.add(await accumulateTd(critic, items, fresh.shift() ?? [items], importance, options));
      const bound = { maxGradNorm, reduction };
      const norm = await clip.step('critic', critic.optimizer, lr, accumulationSteps, bound);
      means.add({ 'optim/critic_gradient_norm': norm });
      await critic.polyak(tau);
      hooks.progress('critic', step + 1, steps.length);
    }
  } finally {
    await player?.close();
  }
  return means.values();
}

/** Draws the micro-batches of one optimizer step, each with the seed of its fresh utterances. */
const drawStep = (replay: ReplayBuffer<ReplayItem>, rng: Rng, { batch, critic }: CriticOptions): StatesToAct[] =>
  Array.from({ length: batch.accumulationSteps }, () => ({
    items: replay.sample(batch.size, rng),
    seed: critic.vTarget.action === 'policy' ? rng.uint32() : 0,
  }));

/** Samples fresh utterances for micro-batches, and reports the progress. @returns [micro-batches][samples][items] */
function sampleFor(
  player: Player,
  batches: readonly StatesToAct[],
  samples: number,
  { hooks, ranks }: Pick<CriticUpdate, 'hooks' | 'ranks'>,
  { slots, batch }: CriticOptions,
): Promise<ReplayItem[][][]> {
  const total = batches.length * batch.size * samples;
  return freshUtterances(player, batches, {
    slots,
    samples,
    ranks,
    progress: (done) => hooks.progress('fresh utterances', done, total),
  });
}

/** `samples`: [samples][items], the items themselves or fresh utterances at their states. */
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
  // A stored action of an older policy is weighted by its probability under the present policy.
  const rho =
    importance !== null && options.critic.vTarget.action === 'stored'
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

/** y^V_i = mean over the samples of Q̄_i(s, a), where Q̄_i are the target critic's Q heads. */
async function vTargets(
  critic: DoubleCritic,
  observations: readonly string[],
  samples: readonly (readonly ReplayItem[])[],
  options: CriticOptions,
): Promise<{ heads: Pair; targets: Pair }> {
  const values: Pair[] = [];
  for (const sample of samples) {
    const actions = sample.map((item) => transitionOf(item).action);
    const { q1, q2 } = await critic.evaluate(observations, actions, 'target');
    values.push([q1, q2]);
  }
  const pairs = values.map(([q1, q2]) => combined(q1, q2, options.critic.tdTarget));
  return { heads: meanPair(values), targets: meanPair(pairs) };
}

function meanPair(pairs: readonly Pair[]): Pair {
  if (pairs.length === 1) return pairs[0];
  const meanOf = (head: 0 | 1) => pairs[0][head].map((_, i) => mean(pairs.map((pair) => pair[head][i])));
  return [meanOf(0), meanOf(1)];
}

/**
 * Losses and outputs of the four heads before the step. `targets`: Q1 and Q2 of the target critic, of which those of V1 and V2
 * are made.
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
