// Makes the clipped policy update of PPO, GRPO and their relatives, over turns whose advantages are given: minibatches and inner
// epochs of
//
//     L = Σ_t w_t ℓ(ρ_t, A_t) + c · ½ mean max((V − R)², (clip(V, V_old ± ε_V) − R)²) − e Σ_t w_t H_t + β Σ_t w_t KL_t
//
// The loss (`policyLoss`) and the options, such as the aggregation (w) and the unit of a ratio, are in policy-loss.ts.
import {
  mean,
  minibatches,
  standardDeviation,
  tokenWeights,
  weightedSum,
  type LossAggregation,
  type Rng,
} from '@bowyer/core';
import type { LanguageModel, TokenExample } from '@bowyer/models';
import { RunningMeans } from '../learning/metric-means.js';
import type { ReferencePolicy } from '../learning/reference-policy.js';
import {
  packTurns,
  scoredIds,
  scoreTurns,
  utterancesOf,
  type LearnedTurn,
  type TurnBatch,
} from '../learning/pack-turns.js';
import type { Metrics, RunHooks } from '../rollout/run-hooks.js';
import { UpdateBound } from './update-bound.js';
import {
  policyLoss,
  surrogateOf,
  type AdvantageTurn,
  type PolicyUpdateOptions,
  type Prepared,
  type SurrogateOptions,
  type TrunkValue,
} from './policy-loss.js';

interface UpdateStep {
  rng: Rng;
  lr: number;
  klCoefficient?: number;
}

/**
 * Makes `actor.epochs` passes over the turns, one optimizer step per minibatch. With `actor.updateKl` the passes end when the KL
 * to the sampling policy reaches it (update-bound.ts), and the metrics contain the KL of the whole update.
 *
 * @param reference needed if the coefficient of the KL is above 0 and the turns have no `refLogprobs`
 * @param step.klCoefficient replaces the option if it is adapted; with 0 there is no reference, and no option of the KL is read
 * @param value a value head on the policy's trunk, which is trained in the same pass
 */
export async function updatePolicy<Turn extends AdvantageTurn>(
  {
    policy,
    reference = null,
    hooks,
  }: { policy: LanguageModel; reference?: Reference | null; hooks: Pick<RunHooks, 'progress'> },
  turns: readonly Turn[],
  step: UpdateStep,
  options: SurrogateOptions & Partial<PolicyUpdateOptions>,
  value?: TrunkValue<Turn>,
): Promise<Metrics> {
  const { rng, lr, klCoefficient = options.kl?.coefficient ?? 0 } = step;
  const { epochs, minibatchSize, updateKl, maxGradNorm } = options.actor;
  const prepared = await prepare(policy, klCoefficient > 0 ? reference : 'none', turns, options);
  const sequences = sequencesOf(prepared, options.actor.sequence);
  const steps = epochs * Math.ceil(sequences.length / minibatchSize);
  const means = new RunningMeans();
  const norms: number[] = [];
  const bound = updateKl === null || lr === 0 ? null : await UpdateBound.open(policy, updateKl);
  let isStopped = false;
  for (let epoch = 0; epoch < epochs && !isStopped; epoch++) {
    for (const minibatch of minibatches(sequences, minibatchSize, rng)) {
      const batch = packTurns(minibatch.flat(), options.actor);
      const isFree = turnsAreFree(options, klCoefficient, value);
      const learned = isFree ? batch.turns.filter((turn) => tokenAdvantages(turn).some((a) => a !== 0)) : batch.turns;
      const metrics =
        learned.length > 0 ? await accumulate(policy, batch, learned, { klCoefficient, value }, options) : {};
      means.add(metrics);
      isStopped = exceedsTarget(metrics['actor/kl_sampling'], options);
      if (isStopped) break;
      norms.push((await policy.optimizer.step({ lr, maxGradNorm })).gradientNorm);
      await value?.step();
      hooks.progress('policy', norms.length, steps);
      isStopped = bound?.reached(metrics['actor/kl_sampling'], batch) ?? false;
      if (isStopped) break;
    }
  }
  const advantages = prepared.flatMap((turn) => [...tokenAdvantages(turn)]);
  return {
    ...means.values(),
    ...(bound && (await bound.close(prepared, options.actor))),
    'actor/steps': norms.length,
    'actor/advantages_mean': mean(advantages),
    'actor/advantages_std': standardDeviation(advantages),
    'optim/policy_gradient_norm': norms.length === 0 ? 0 : mean(norms),
    'optim/lm_lr': lr,
  };
}

/**
 * Whether turns with an advantage of 0 have no gradient and can be omitted: there is no KL, entropy or value term, no shared
 * ratio, and no measured KL ends the update.
 */
const turnsAreFree = (
  { actor, loss }: SurrogateOptions,
  klCoefficient: number,
  value: TrunkValue<never> | undefined,
): boolean =>
  klCoefficient === 0 &&
  loss.entropyCoefficient === 0 &&
  loss.ratio === 'token' &&
  value === undefined &&
  actor.targetKl === null &&
  actor.updateKl === null;

/**
 * The gradient is zero if the minibatch's KL ends the update.
 *
 * @param learned the turns that run through the model; the others of `whole` count only in the means of the loss
 */
async function accumulate<Turn extends AdvantageTurn>(
  policy: LanguageModel,
  whole: TurnBatch<Prepared<Turn>>,
  learned: readonly Prepared<Turn>[],
  { klCoefficient, value }: { klCoefficient: number; value?: TrunkValue<Turn> },
  options: SurrogateOptions & Partial<PolicyUpdateOptions>,
): Promise<Metrics> {
  const isWhole = learned.length === whole.turns.length;
  const batch = isWhole ? whole : packTurns(learned, options.actor);
  const { turns, lengths } = batch;
  const lengthsOf = (some: TurnBatch<LearnedTurn>) =>
    options.actor.sequence === 'turn' ? some.lengths : episodeLengths(some);
  const sequenceLengths = lengthsOf(batch);
  const allWeights = tokenWeights(lengthsOf(whole), aggregationOf(options.loss));
  const weights = isWhole ? allWeights : weightsOf(turns, whole, allWeights);
  const ratioLengths = { token: [], turn: lengths, sequence: sequenceLengths }[options.loss.ratio];
  const tokens = {
    oldLogprobs: joined(turns.map(({ old }) => old)),
    refLogprobs: joined(turns.map(({ ref }) => ref)),
    advantages: joined(turns.map(tokenAdvantages)),
  };
  const term = value?.termOf(batch);
  let metrics: Metrics = {};
  await policy.accumulateLogprobGradients(
    value?.examplesOf(batch) ?? batch.examples,
    (scored) => {
      const found = policyLoss(scored, { ...tokens, weights, ratioLengths, klCoefficient, value: term }, options);
      metrics = found.metrics;
      const coefficient = exceedsTarget(metrics['actor/kl_sampling'], options) ? 0 : 1;
      return weightedSum({ loss: found.loss, coefficient });
    },
    {
      entropies: true,
      maxTokens: options.actor.maxBatchTokens ?? undefined,
      surrogate: surrogateOf({ ...tokens, weights, klCoefficient }, term, options),
    },
  );
  return metrics;
}

const exceedsTarget = (kl: number, { actor: { targetKl } }: SurrogateOptions) => targetKl !== null && kl > targetKl;

function aggregationOf({ aggregation, divisor }: SurrogateOptions['loss']): LossAggregation {
  return aggregation === 'constant' ? { kind: 'constant', divisor: divisor! } : { kind: aggregation };
}

function weightsOf<Turn>(turns: readonly Turn[], whole: TurnBatch<Turn>, weights: Float32Array): Float32Array {
  const own = new Map<Turn, Float32Array>();
  let start = 0;
  whole.turns.forEach((turn, i) => own.set(turn, weights.subarray(start, (start += whole.lengths[i]))));
  return joined(turns.map((turn) => own.get(turn)!));
}

function episodeLengths({ turns, lengths }: TurnBatch<LearnedTurn>): number[] {
  const episodes = new Map<unknown, number>();
  turns.forEach(({ trajectory }, i) => episodes.set(trajectory, (episodes.get(trajectory) ?? 0) + lengths[i]));
  return [...episodes.values()];
}

function joined(arrays: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  for (const array of arrays) {
    all.set(array, start);
    start += array.length;
  }
  return all;
}

export type Reference = Pick<ReferencePolicy, 'logprobs'>;

/** Adds to each turn the log-probabilities that are constant during the update; turns without a scored token are omitted. */
export async function prepare<Turn extends AdvantageTurn>(
  policy: LanguageModel,
  reference: Reference | null | 'none',
  turns: readonly Turn[],
  options: SurrogateOptions,
): Promise<Prepared<Turn>[]> {
  const { scoreTerminator, maxBatchTokens } = options.actor;
  const maxTokens = maxBatchTokens ?? undefined;
  const sampled = turns.map(({ trajectory, turn }) => {
    const utterance = utterancesOf(trajectory).get(turn);
    if (!utterance) return new Float32Array(0);
    return Float32Array.from(utterance.logprobs.slice(0, scoredIds(utterance, scoreTerminator).length));
  });
  const old =
    options.loss.oldLogprobs === 'sampled'
      ? sampled
      : await scoreInParts((examples) => policy.logprobs(examples, { maxTokens }), turns, options);
  const refs =
    reference === 'none' || turns.every(({ refLogprobs }) => refLogprobs !== undefined)
      ? turns.map(({ refLogprobs }) => (reference === 'none' ? undefined : refLogprobs))
      : await referenceLogprobs(reference, turns, options);
  return turns.flatMap((turn, i) =>
    old[i].length === 0 ? [] : [{ ...turn, old: old[i], ref: refs[i] ?? new Float32Array(0) }],
  );
}

export interface ScoringOptions {
  actor: Pick<SurrogateOptions['actor'], 'minibatchSize' | 'scoreTerminator' | 'sequence' | 'maxBatchTokens'>;
}

/** Computes [turns] of [tokens] log-probabilities under the reference policy, in nats. */
export function referenceLogprobs(
  reference: Reference | null,
  turns: readonly LearnedTurn[],
  options: ScoringOptions,
): Promise<Float32Array[]> {
  if (reference === null) throw new Error('algorithm.kl.coefficient is above 0, and this run has no reference policy');
  const maxTokens = options.actor.maxBatchTokens ?? undefined;
  return scoreInParts((examples) => reference.logprobs(examples, { maxTokens }), turns, options);
}

/** Scores turns in chunks of `minibatchSize` sequences, as large as the minibatches of the update. */
async function scoreInParts(
  score: (examples: readonly TokenExample[]) => Promise<Float32Array[]>,
  turns: readonly LearnedTurn[],
  { actor }: ScoringOptions,
): Promise<Float32Array[]> {
  const indexed = turns.map(({ trajectory, turn }, index) => ({ trajectory, turn, index }));
  const sequences = sequencesOf(indexed, actor.sequence);
  const scores = new Array<Float32Array>(turns.length);
  for (let start = 0; start < sequences.length; start += actor.minibatchSize) {
    const part = sequences.slice(start, start + actor.minibatchSize).flat();
    const found = await scoreTurns(score, part, actor);
    part.forEach(({ index }, i) => (scores[index] = found[i]));
  }
  return scores;
}

/** Groups turns into sequences, in the order of their first turns. */
export function sequencesOf<Turn extends LearnedTurn>(turns: readonly Turn[], kind: 'episode' | 'turn'): Turn[][] {
  if (kind === 'turn') return turns.map((turn) => [turn]);
  const episodes = new Map<unknown, Turn[]>();
  for (const turn of turns) {
    const own = episodes.get(turn.trajectory);
    if (own) own.push(turn);
    else episodes.set(turn.trajectory, [turn]);
  }
  return [...episodes.values()];
}

const tokenAdvantages = ({ advantages, old }: Prepared<AdvantageTurn>): Float32Array =>
  typeof advantages === 'number' ? new Float32Array(old.length).fill(advantages) : advantages;
