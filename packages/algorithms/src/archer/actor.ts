// Trains ArCHer's policy by REINFORCE: each token of an utterance has the advantage that the critic gives to the utterance.
//
//     A = min(Q_1, Q_2) − min(V_1, V_2)        L = −mean A Σ_t log π(a_t | s, a_<t)
//
// Source: Zhou et al. 2024, arXiv:2402.19446, section 3.3; loss and metrics from the authors' code at 7c771a7, the token-level baseline
// from a branch of that code that its configs cannot reach. Importance weights and the KL to the initial policy are additions.
import type { TObject } from '@sinclair/typebox';
import {
  choice,
  flag,
  group,
  integer,
  mean,
  nonNegative,
  optional,
  positive,
  tdLoss,
  utteranceAdvantages,
  type ConfigProblem,
  type OptionsOf,
  type Ranks,
  type ReplayBuffer,
  type Rng,
  type Trajectory,
} from '@bowyer/core';
import type { DoubleCritic, LanguageModel, TokenExample } from '@bowyer/models';
import { RunningMeans, summary } from '../learning/metric-means.js';
import { warmedUpActor } from '../learning/policy-rate.js';
import { referenceOption, type ReferencePolicy } from '../learning/reference-policy.js';
import { packTurns, scoredOf, scoreTurns, type TurnBatch } from '../learning/pack-turns.js';
import { freshBatch } from '../rollout/fresh-utterances.js';
import type { OpenPlayer } from '../rollout/player.js';
import type { ReplayItem } from '../rollout/replay.js';
import type { Metrics, RunHooks } from '../rollout/run-hooks.js';
import { noteEstimate } from '../rollout/turn-estimates.js';
import type { CriticOptions } from './critic.js';
import { weightOf } from './importance-weights.js';
import type { SharedClip } from './shared-clip.js';

export const actorOptions = {
  actor: warmedUpActor(
    { lr: 1e-5, warmupIterations: 20 },
    {
      steps: integer(3, 'optimizer steps on the policy per iteration', { flat: 'actor_epochs' }),
      samples: choice(
        ['rollout', 'replay'],
        'replay',
        'utterances that the policy trains on: those of the new episodes, or fresh samples at replayed states, as in the paper',
        { flat: 'actor_samples' },
      ),
      baseline: group(
        {
          enabled: flag(
            false,
            'subtract from the credit of each token a learned value of the tokens before it, of a separate network that starts as a copy of the policy',
            { flat: 'use_baseline' },
          ),
          lr: optional(positive, 'learning rate of that network; null: that of the policy', { flat: 'baseline_lr' }),
        },
        'the baseline of a token',
      ),
    },
  ),
  kl: group(
    {
      coefficient: nonNegative(
        0,
        'weight of the KL of the policy to its start, in units of return per nat, which is subtracted from the credit of each token; 0: no KL, as in ArCHer',
        { flat: 'kl_coefficient' },
      ),
    },
    'the penalty that keeps the policy near its start',
  ),
  reference: referenceOption,
};

export interface ActorLossOptions {
  actor: { scoreTerminator: boolean };
  /** `importanceClip` is the upper bound of the importance weights of stored utterances; null: no importance weights. */
  replay: { importanceClip: number | null };
  /** `coefficient` is β, the weight of the KL to the initial policy. */
  kl: { coefficient: number };
}

/** Reports a learning rate that is set for the baseline although the actor has no baseline. */
export function baselineProblems({
  actor: { baseline },
}: {
  actor: Pick<ActorOptions['actor'], 'baseline'>;
}): ConfigProblem[] {
  if (baseline.enabled || baseline.lr === null) return [];
  const [key, enabled] = ['algorithm.actor.baseline.lr', 'algorithm.actor.baseline.enabled'];
  const message = `${key}=${baseline.lr}: without ${enabled}=true nothing has this learning rate`;
  return [{ key, message, remedy: `write ${enabled}=true, or ${key}=null` }];
}

/** Reports more policy steps than a rollout has episodes, since some steps would then have no data. */
export function emptySteps({
  actor: { samples, steps },
  rollout: { size },
}: {
  actor: Pick<ActorOptions['actor'], 'samples' | 'steps'>;
  rollout: { size: number };
}): ConfigProblem[] {
  if (samples !== 'rollout' || steps <= size) return [];
  const key = 'algorithm.actor.steps';
  const message = `${key}=${steps} is more than the ${size} episodes of a rollout, so some policy steps would have no data`;
  return [
    { key, message, remedy: `lower ${key}, raise algorithm.rollout.size, or give algorithm.actor.samples=replay` },
  ];
}

/** A stored utterance, or a fresh one at the same state, with the critic's advantage A(s, a). */
interface JudgedUtterance extends ReplayItem {
  advantage: number;
}

export interface Actor {
  policy: LanguageModel;
  /** The reference policy of the KL penalty; null without one. */
  reference: ReferencePolicy | null;
  /** The model whose value head is the baseline; null without a baseline. */
  baseline: LanguageModel | null;
}

type ActorOptions = OptionsOf<TObject<typeof actorOptions>> &
  Pick<CriticOptions, 'batch' | 'slots' | 'sampling'> &
  Pick<ActorLossOptions, 'replay'>;

interface ActorUpdate extends Actor {
  critic: DoubleCritic;
  replay: ReplayBuffer<ReplayItem>;
  clip: SharedClip;
  hooks: Pick<RunHooks, 'progress'>;
  ranks?: Ranks;
  openPlayer: OpenPlayer;
}

/** Takes `actor.steps` steps on L = −mean A(s, a) · Σ_t log π(a_t | s, a_<t), where A comes from the online critic. */
export async function updateActor(
  learner: ActorUpdate,
  rollout: readonly Trajectory[],
  rng: Rng,
  lr: number,
  options: ActorOptions,
): Promise<Metrics> {
  const { policy, baseline, critic, replay, clip, hooks } = learner;
  const { steps, samples } = options.actor;
  const { reduction, size, accumulationSteps } = options.batch;
  const shares = shareOut(rng.shuffle(rollout), steps);
  const advantagesSeen: number[] = [];
  const means = new RunningMeans();
  const norms: number[] = [];

  for (let step = 0; step < steps; step++) {
    const batches =
      samples === 'rollout'
        ? [shares[step].flatMap((trajectory) => trajectory.transitions.map((_, turn) => ({ trajectory, turn })))]
        : await replayBatches(replay.sample(size * accumulationSteps, rng), learner, rng, options);
    if (samples === 'replay') await policy.rest();
    for (const batch of batches) {
      if (batch.length === 0) continue;
      const transitions = batch.map(({ trajectory, turn }) => trajectory.transitions[turn]);
      const heads = await critic.evaluate(
        transitions.map(({ observation }) => observation),
        transitions.map(({ action }) => action),
        'online',
      );
      const advantages = utteranceAdvantages(heads);
      const judged = batch.map((item, i) => ({ ...item, advantage: advantages[i] }));
      judged.forEach(({ trajectory, turn, advantage }, i) =>
        noteEstimate(trajectory, turn, {
          q: Math.min(heads.q1[i], heads.q2[i]),
          v: Math.min(heads.v1[i], heads.v2[i]),
          advantage,
        }),
      );
      means.add(await accumulateActor(learner, judged, options));
      for (const advantage of advantages) advantagesSeen.push(advantage);
    }
    const bound = { maxGradNorm: options.actor.maxGradNorm, reduction };
    norms.push(await clip.step('policy', policy.optimizer, lr, batches.length, bound));
    if (baseline) await stepBaseline(baseline, batches.length, options.actor.baseline.lr ?? lr, bound);
    hooks.progress('actor', step + 1, steps);
  }
  return {
    ...means.values(),
    'optim/policy_gradient_norm': mean(norms),
    'optim/lm_lr': lr,
    ...summary('actor/advantages', advantagesSeen),
  };
}

/** Takes one optimizer step of the baseline's network and value head on the gradients accumulated so far. */
async function stepBaseline(
  baseline: LanguageModel,
  microBatches: number,
  lr: number,
  { maxGradNorm, reduction }: { maxGradNorm: number; reduction: 'sum' | 'mean' },
): Promise<void> {
  const step = { lr, maxGradNorm, gradientScale: reduction === 'mean' ? 1 / microBatches : 1 };
  await baseline.optimizer.step(step);
  await baseline.valueHead.optimizer.step(step);
}

/** Samples fresh utterances at the states of stored turns, from which the paper's actor learns. */
async function replayBatches(
  items: readonly ReplayItem[],
  { openPlayer, ranks }: Pick<ActorUpdate, 'openPlayer' | 'ranks'>,
  rng: Rng,
  options: ActorOptions,
): Promise<ReplayItem[][]> {
  const fresh = await freshBatch(openPlayer, items, { ...options, ranks }, rng);
  return shareOut(fresh, Math.ceil(fresh.length / options.batch.size));
}

/** Splits items into `count` consecutive chunks whose sizes differ by at most one. */
function shareOut<T>(items: readonly T[], count: number): T[][] {
  return Array.from({ length: count }, (_, i) =>
    items.slice(Math.floor((i * items.length) / count), Math.floor(((i + 1) * items.length) / count)),
  );
}

type Judged = JudgedUtterance & { refLogprobs: Float32Array };

/**
 * Adds the gradients of the token-level losses of one micro-batch:
 *
 *     L   = −mean_B ρ Σ_t sg(G_t − b_t) log π(a_t | s, a_<t),     G_t = A(s, a) − β Σ_{k≥t} log π(a_k | ·) / π_0(a_k | ·)
 *     L_b = mean over all tokens of (b(s, a_<t) − sg(G_t))²
 *
 * where sg stops the gradient, ρ is the importance weight, π_0 the initial policy and b_t the baseline's value. This is ArCHer's
 * −mean A log π(a|s) with β = 0, ρ = 1 and b = 0. Neither the KL of the tokens before t, which G_t omits, nor b_t depends on a_t,
 * so that the expected gradient is unchanged and its variance is smaller.
 */
export async function accumulateActor(
  { policy, reference, baseline }: Actor,
  utterances: readonly JudgedUtterance[],
  options: ActorLossOptions,
): Promise<Metrics> {
  const refs = await referenceLogprobs(reference, utterances, options);
  const batch = packTurns(
    utterances.map((utterance, i) => ({ ...utterance, refLogprobs: refs[i] })),
    options.actor,
  );
  if (batch.turns.length === 0) return { 'losses/policy': 0 };
  const isScored = options.kl.coefficient > 0 || options.replay.importanceClip !== null;
  const logprobs = isScored ? scoredOf(batch.examples, await policy.logprobs(batch.examples)) : null;
  const { credits, rhos, metrics } = creditsOf(batch, logprobs, options);
  const values = baseline && scoredOf(batch.examples, await baseline.values(withValues(batch.examples)));
  const residuals = values ? credits.map((credit, t) => credit - values[t]) : credits;
  const weights = residuals.map((residual, t) => (rhos[t] * residual) / utterances.length);
  const { loss } = await policy.accumulateGradients(withWeights(batch.examples, weights));
  return {
    'losses/policy': loss,
    ...metrics,
    ...(baseline && {
      'losses/baseline': await accumulateBaseline(baseline, batch.examples, credits),
      ...summary('actor/values', values!),
      ...summary('actor/residual_advantages', residuals),
    }),
  };
}

/** Accumulates the gradient of the baseline's loss L_b of `accumulateActor`. @param credits [N] G of the tokens, in order */
async function accumulateBaseline(
  baseline: LanguageModel,
  examples: readonly TokenExample[],
  credits: Float32Array,
): Promise<number> {
  const mean = new Float32Array(credits.length).fill(1 / credits.length);
  const silent = withValues(examples).map((example) => ({ ...example, weights: new Float32Array(example.ids.length) }));
  const { loss } = await baseline.accumulateLogprobGradients(silent, ({ values }) => {
    const { loss, gradient: valueGradient } = tdLoss(values, credits, mean);
    return { loss, gradient: new Float32Array(0), valueGradient };
  });
  return loss;
}

/**
 * Computes the return G and the importance weight ρ of every token, each [N].
 *
 * @param logprobs [N] under the present policy; null where neither KL nor ρ is used
 */
function creditsOf(
  { turns, lengths }: TurnBatch<Judged>,
  logprobs: Float32Array | null,
  { kl, replay: { importanceClip } }: ActorLossOptions,
): { credits: Float32Array; rhos: Float32Array; metrics: Metrics } {
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  const [credits, rhos] = [new Float32Array(tokens), new Float32Array(tokens).fill(1)];
  const divergences: number[] = [];
  let end = 0;
  turns.forEach((turn, i) => {
    const start = end;
    end += lengths[i];
    if (importanceClip !== null) rhos.fill(weightOf(turn, logprobs!.subarray(start, end), importanceClip), start, end);
    let divergence = 0; // sum over this token and the later ones
    for (let t = end - 1; t >= start; t--) {
      if (kl.coefficient > 0) divergence += logprobs![t] - turn.refLogprobs[t - start];
      credits[t] = turn.advantage - kl.coefficient * divergence;
    }
    divergences.push(divergence);
  });
  const metrics = {
    ...(kl.coefficient > 0 && { 'actor/kl_to_start': mean(divergences) }),
    ...(importanceClip !== null && { 'actor/importance_weight_mean': mean(rhos) }),
  };
  return { credits, rhos, metrics };
}

/** Computes log-probabilities under the reference policy, [utterances] of [tokens]; empty arrays without a reference. */
const referenceLogprobs = (
  reference: ReferencePolicy | null,
  utterances: readonly JudgedUtterance[],
  options: ActorLossOptions,
): Promise<Float32Array[]> | Float32Array[] =>
  reference === null
    ? utterances.map(() => new Float32Array(0))
    : scoreTurns((examples) => reference.logprobs(examples), utterances, options.actor);

/** Replaces the nonzero weights of the examples' tokens. @param weights [N] new weights, one per scored token, in order */
function withWeights(examples: readonly TokenExample[], weights: Float32Array): TokenExample[] {
  let next = 0;
  return examples.map((example) => ({
    ...example,
    weights: example.weights.map((weight) => (weight === 0 ? 0 : weights[next++])),
  }));
}

/** Adds value weights to the examples, so that V is computed before each of their scored tokens. */
const withValues = (examples: readonly TokenExample[]): TokenExample[] =>
  examples.map((example) => ({ ...example, valueWeights: example.weights }));
