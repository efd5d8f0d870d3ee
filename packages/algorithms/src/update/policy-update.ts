// The clipped policy update of PPO, GRPO, RLOO, REINFORCE++, GiGPO and their relatives: minibatches and inner epochs of
//
//     L = Σ_t w_t clipped(ratio_t, A_t) + β Σ_t w_t KL_t − c Σ_t w_t H_t
//
// over turns whose advantages are given. Which mean w is, and what a ratio is of, are options, named after the papers.
import { Type } from '@sinclair/typebox';
import {
  count,
  gspoLoss,
  entropyBonus,
  klEstimate,
  klPenalty,
  maximum,
  mean,
  minibatches,
  nullable,
  oneOf,
  ppoClipLoss,
  rate,
  standardDeviation,
  tokenWeights,
  weightedSum,
  type ConfigProblem,
  type KlEstimator,
  type LossAggregation,
  type Rng,
  type ScoredTokens,
  type TokenLoss,
} from '@bowyer/core';
import type { LanguageModel, SurrogateLoss, TokenExample } from '@bowyer/models';
import type { Metrics, RunHooks } from '../types.js';
import type { ReferencePolicy } from '../unit.js';
import { referenceKeys } from './kl-reference.js';
import { RunningMeans } from './running-means.js';
import { scoreTerminatorKey } from './token-examples.js';
import { packTurns, scoredIds, scoreTurns, utterancesOf, type LearnedTurn, type TurnBatch } from './turn-batch.js';

const coefficient = (description: string) => Type.Number({ minimum: 0, description });

/** Without those of a KL penalty. */
export const surrogateKeys = {
  inner_epochs: count('passes of the policy over the turns of a rollout'),
  sequence: oneOf(
    ['episode', 'turn'],
    'what minibatches are drawn from, and what counts as a sequence in loss_aggregation: an episode, or a turn, so that long ' +
      'episodes count more, as in verl-agent',
  ),
  minibatch_size: count('sequences per optimizer step'),
  max_batch_tokens: nullable(
    count('tokens with padding that run through the policy at once'),
    'tokens with padding that run through the policy at once; more are split, with the same gradient; null: 2,048, or no limit ' +
      'with target_kl, with ratio other than token and on a GPU',
  ),
  loss_aggregation: oneOf(
    ['token_mean', 'sequence_mean_token_mean', 'sequence_mean_token_sum', 'constant'],
    'how token losses are summed: mean over tokens (DAPO), mean over sequences of their token means (GRPO) or token sums ' +
      '(REINFORCE), or of token sums divided by loss_divisor (constant: Dr. GRPO)',
  ),
  loss_divisor: nullable(
    rate('tokens'),
    'divisor of token sums with loss_aggregation=constant, such as the longest possible episode in tokens; null with any other',
  ),
  ratio: oneOf(
    ['token', 'turn', 'sequence'],
    'what has one ratio of probabilities: a token (PPO), or a turn or episode (GSPO: geometric mean over its tokens)',
  ),
  clip_low: rate('width of the interval of unclipped ratios below 1'),
  clip_high: rate('width of the interval of unclipped ratios above 1; larger than clip_low: clip-higher (DAPO)'),
  dual_clip: nullable(
    Type.Number({
      exclusiveMinimum: 1,
      description: 'bound of a loss with negative advantage, in units of the advantage',
    }),
    'bound of a loss with negative advantage, in units of the advantage; null: none',
  ),
  old_logprobs: oneOf(
    ['sampled', 'recomputed'],
    'denominator of the ratio: log-probabilities stored by the sampler, or those of the trainer before the first step',
  ),
  entropy_coefficient: coefficient('weight of the entropy bonus per token'),
  target_kl: nullable(
    rate('nats per token'),
    'an update ends where the KL to the sampling policy, in nats per token, is larger; null: never',
  ),
  max_grad_norm: rate('upper bound of the global norm of the policy gradient'),
  ...scoreTerminatorKey,
};

/** Options with which the surrogate loss does not weigh by the ratio to the policy that sampled. */
export function surrogateOffPolicyProblems({
  oldLogprobs,
}: {
  oldLogprobs: 'sampled' | 'recomputed';
}): ConfigProblem[] {
  if (oldLogprobs === 'sampled') return [];
  const message = 'old_logprobs=recomputed: the ratio would be to the policy that learns, not to the one that played';
  return [{ key: 'old_logprobs', message, remedy: 'write old_logprobs=sampled' }];
}

export const policyUpdateKeys = {
  ...surrogateKeys,
  kl_coefficient: coefficient(
    'weight of the KL to the reference policy, the start of the run; 0: none, and no reference',
  ),
  kl_in: oneOf(['loss', 'reward'], 'the KL is a term of the loss, or is subtracted from the rewards'),
  kl_estimator: oneOf(
    ['k1', 'k2', 'k3'],
    'estimator of the KL from one token, in the loss (there the gradient of k1 is noise); in rewards it is always k1',
  ),
  ...referenceKeys,
};

export interface SurrogateOptions {
  innerEpochs: number;
  sequence: 'episode' | 'turn';
  minibatchSize: number;
  maxBatchTokens: number | null;
  lossAggregation: LossAggregation['kind'];
  lossDivisor: number | null;
  ratio: 'token' | 'turn' | 'sequence';
  clipLow: number;
  clipHigh: number;
  dualClip: number | null;
  oldLogprobs: 'sampled' | 'recomputed';
  entropyCoefficient: number;
  targetKl: number | null;
  maxGradNorm: number;
  scoreTerminator: boolean;
}

export interface PolicyUpdateOptions extends SurrogateOptions {
  klCoefficient: number;
  klIn: 'loss' | 'reward';
  klEstimator: KlEstimator;
}

/** A turn and what is learned from it. Arrays are [tokens] of its scored tokens: the utterance, then the terminator if it is scored. */
export interface AdvantageTurn extends LearnedTurn {
  /** A of the whole utterance, or of each token. */
  advantages: number | Float32Array;
  /** Nats, under the reference policy, where the caller has them already. */
  refLogprobs?: Float32Array;
}

/** A further loss on the same tokens, computed from the same pass, such as that of a value head. */
export interface AddedLoss<Turn> {
  /** The batch's examples with what the loss needs of the pass; as they are if not given. */
  examplesOf?(batch: TurnBatch<Turn>): TokenExample[];
  /** @param weights [N] w, of the tokens of the batch */
  lossOf(scored: ScoredTokens, batch: TurnBatch<Turn>, weights: Float32Array): { loss: TokenLoss; metrics: Metrics };
  /** The same for a training graph that calculates the loss; without it the loss is calculated between two passes. */
  valuesOf?(batch: TurnBatch<Turn>): NonNullable<SurrogateLoss['values']> & { clip: number };
  /** Called after every optimizer step of the policy. */
  step?(): Promise<void>;
}

type Reference = Pick<ReferencePolicy, 'logprobs'>;
type Prepared<Turn> = Turn & { old: Float32Array; ref: Float32Array };

export interface UpdateStep {
  rng: Rng;
  lr: number;
  klCoefficient?: number;
}

/** Settings that contradict each other. */
export const policyUpdateProblems = (options: {
  lossAggregation: string;
  lossDivisor: number | null;
}): ConfigProblem[] => {
  const { lossAggregation, lossDivisor } = options;
  if ((lossAggregation === 'constant') === (lossDivisor !== null)) return [];
  return [
    {
      key: 'loss_divisor',
      message: `loss_divisor=${lossDivisor} does not go with loss_aggregation=${lossAggregation}: a divisor belongs to constant, and constant needs one`,
      remedy:
        lossDivisor === null
          ? 'give the longest possible episode in tokens (turns * max_new_tokens)'
          : 'write loss_divisor=null, or loss_aggregation=constant',
    },
  ];
};

/**
 * `innerEpochs` passes over the turns, one optimizer step per minibatch.
 *
 * @param reference needed where `klCoefficient` is above 0 and the turns do not have their `refLogprobs`
 * @param step.rng the order of the minibatches
 * @param step.klCoefficient in place of the option, for one that adapts; 0: no reference, and no option of a KL is read
 * @param added a further loss of the same pass
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
  added?: AddedLoss<Turn>,
): Promise<Metrics> {
  const { rng, lr, klCoefficient = options.klCoefficient ?? 0 } = step;
  const prepared = await prepare(policy, klCoefficient > 0 ? reference : 'none', turns, options);
  const sequences = sequencesOf(prepared, options.sequence);
  const steps = options.innerEpochs * Math.ceil(sequences.length / options.minibatchSize);
  const means = new RunningMeans();
  const norms: number[] = [];
  let isStopped = false;
  for (let epoch = 0; epoch < options.innerEpochs && !isStopped; epoch++) {
    for (const minibatch of minibatches(sequences, options.minibatchSize, rng)) {
      const batch = packTurns(minibatch.flat(), options);
      const metrics = await accumulate(policy, batch, { klCoefficient, added }, options);
      means.add(metrics);
      isStopped = exceedsTarget(metrics['actor/kl_sampling'], options);
      if (isStopped) break;
      norms.push((await policy.optimizer.step({ lr, maxGradNorm: options.maxGradNorm })).gradientNorm);
      await added?.step?.();
      hooks.progress('policy', norms.length, steps);
    }
  }
  const advantages = prepared.flatMap((turn) => [...tokenAdvantages(turn)]);
  return {
    ...means.values(),
    'actor/steps': norms.length,
    'actor/advantages_mean': mean(advantages),
    'actor/advantages_std': standardDeviation(advantages),
    'optim/policy_gradient_norm': norms.length === 0 ? 0 : mean(norms),
    'optim/lm_lr': lr,
  };
}

/** The turns with the log-probabilities that stay constant during the update; turns without a scored token are left out. */
async function prepare<Turn extends AdvantageTurn>(
  policy: LanguageModel,
  reference: Reference | null | 'none',
  turns: readonly Turn[],
  options: SurrogateOptions,
): Promise<Prepared<Turn>[]> {
  const { oldLogprobs, scoreTerminator, maxBatchTokens } = options;
  const maxTokens = maxBatchTokens ?? undefined;
  const sampled = turns.map(({ trajectory, turn }) => {
    const utterance = utterancesOf(trajectory).get(turn);
    if (!utterance) return new Float32Array(0);
    return Float32Array.from(utterance.logprobs.slice(0, scoredIds(utterance, scoreTerminator).length));
  });
  const old =
    oldLogprobs === 'sampled'
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

export type ScoringOptions = Pick<
  SurrogateOptions,
  'minibatchSize' | 'scoreTerminator' | 'sequence' | 'maxBatchTokens'
>;

/** [turns] of [tokens] log-probabilities under the reference policy, in nats. */
export function referenceLogprobs(
  reference: Reference | null,
  turns: readonly LearnedTurn[],
  options: ScoringOptions,
): Promise<Float32Array[]> {
  if (reference === null) throw new Error('kl_coefficient is above 0, and this run has no reference policy');
  const maxTokens = options.maxBatchTokens ?? undefined;
  return scoreInParts((examples) => reference.logprobs(examples, { maxTokens }), turns, options);
}

/** As many sequences at once as in an update. */
async function scoreInParts(
  score: (examples: readonly TokenExample[]) => Promise<Float32Array[]>,
  turns: readonly LearnedTurn[],
  options: ScoringOptions,
): Promise<Float32Array[]> {
  const indexed = turns.map(({ trajectory, turn }, index) => ({ trajectory, turn, index }));
  const sequences = sequencesOf(indexed, options.sequence);
  const scores = new Array<Float32Array>(turns.length);
  for (let start = 0; start < sequences.length; start += options.minibatchSize) {
    const part = sequences.slice(start, start + options.minibatchSize).flat();
    const found = await scoreTurns(score, part, options);
    part.forEach(({ index }, i) => (scores[index] = found[i]));
  }
  return scores;
}

/** In the order of their first turns. */
function sequencesOf<Turn extends LearnedTurn>(turns: readonly Turn[], kind: 'episode' | 'turn'): Turn[][] {
  if (kind === 'turn') return turns.map((turn) => [turn]);
  const episodes = new Map<unknown, Turn[]>();
  for (const turn of turns) {
    const own = episodes.get(turn.trajectory);
    if (own) own.push(turn);
    else episodes.set(turn.trajectory, [turn]);
  }
  return [...episodes.values()];
}

/** Forward and backward of one minibatch; without a gradient where the update is to end. */
async function accumulate<Turn extends AdvantageTurn>(
  policy: LanguageModel,
  batch: TurnBatch<Prepared<Turn>>,
  { klCoefficient, added }: { klCoefficient: number; added?: AddedLoss<Turn> },
  options: SurrogateOptions & Partial<PolicyUpdateOptions>,
): Promise<Metrics> {
  const { turns, lengths } = batch;
  const sequenceLengths = options.sequence === 'turn' ? lengths : episodeLengths(batch);
  const weights = tokenWeights(sequenceLengths, aggregationOf(options));
  const ratioLengths = { token: [], turn: lengths, sequence: sequenceLengths }[options.ratio];
  const tokens = {
    oldLogprobs: joined(turns.map(({ old }) => old)),
    refLogprobs: joined(turns.map(({ ref }) => ref)),
    advantages: joined(turns.map(tokenAdvantages)),
  };
  let metrics: Metrics = {};
  await policy.accumulateLogprobGradients(
    added?.examplesOf?.(batch) ?? batch.examples,
    (scored) => {
      const found = policyLoss(scored, { ...tokens, weights, ratioLengths, klCoefficient }, options);
      const further = added?.lossOf(scored, batch, weights);
      metrics = { ...found.metrics, ...further?.metrics };
      const terms = [
        { loss: found.loss, coefficient: 1 },
        ...(further ? [{ loss: further.loss, coefficient: 1 }] : []),
      ];
      // Nothing of a minibatch that ends the update is left in the gradients.
      const scale = exceedsTarget(metrics['actor/kl_sampling'], options) ? 0 : 1;
      return weightedSum(...terms.map((term) => ({ ...term, coefficient: scale })));
    },
    {
      entropies: true,
      maxTokens: options.maxBatchTokens ?? undefined,
      surrogate: surrogateOf({ ...tokens, weights, klCoefficient }, batch, added, options),
    },
  );
  return metrics;
}

/** The loss of a minibatch for the training graph; undefined where a token's gradient depends on other tokens too. */
function surrogateOf<Turn extends AdvantageTurn>(
  {
    refLogprobs,
    ...tokens
  }: Omit<SurrogateLoss, 'form' | 'entropyCoefficient' | 'values'> & { refLogprobs: Float32Array },
  batch: TurnBatch<Prepared<Turn>>,
  added: AddedLoss<Turn> | undefined,
  options: SurrogateOptions & Partial<PolicyUpdateOptions>,
): SurrogateLoss | undefined {
  const { ratio, targetKl, clipLow, clipHigh, dualClip, entropyCoefficient } = options;
  // Whether the update ends here is known after the pass.
  if (ratio !== 'token' || targetKl !== null || (added && !added.valuesOf)) return undefined;
  const values = added?.valuesOf!(batch);
  const klEstimator = refLogprobs.length > 0 && options.klIn === 'loss' ? options.klEstimator! : null;
  const form = { clipLow, clipHigh, dualClip, klEstimator, hasEntropyBonus: entropyCoefficient > 0 };
  return {
    ...tokens,
    ...(klEstimator && { refLogprobs }),
    entropyCoefficient,
    values,
    form: { ...form, valueClip: values?.clip ?? null },
  };
}

/** The loss of a minibatch's tokens, all arrays [N]. */
function policyLoss(
  { logprobs, entropies }: ScoredTokens,
  batch: Record<'oldLogprobs' | 'refLogprobs' | 'advantages' | 'weights', Float32Array> & {
    ratioLengths: number[];
    klCoefficient: number;
  },
  options: SurrogateOptions & Partial<PolicyUpdateOptions>,
): { loss: TokenLoss; metrics: Metrics } {
  const { oldLogprobs, refLogprobs, advantages, weights, ratioLengths, klCoefficient } = batch;
  const ratioed = { logprobs, oldLogprobs, advantages, weights };
  const surrogate =
    options.ratio === 'token'
      ? ppoClipLoss(ratioed, options)
      : gspoLoss({ ...ratioed, lengths: ratioLengths }, options);
  const ratios = logprobs.map((logprob, t) => Math.exp(logprob - oldLogprobs[t]));
  const terms: { loss: TokenLoss; coefficient: number }[] = [{ loss: surrogate, coefficient: 1 }];
  const metrics: Metrics = {
    'losses/policy': surrogate.loss,
    'actor/clip_fraction': surrogate.clipFraction,
    'actor/kl_sampling': mean(ratios.map((ratio, t) => ratio - 1 - (logprobs[t] - oldLogprobs[t]))),
    'actor/ratio_mean': mean(ratios),
    'actor/ratio_max': maximum(ratios),
    'actor/entropy': mean(entropies),
  };
  if (refLogprobs.length > 0) {
    if (options.klIn === 'loss') {
      const penalty = klPenalty({ logprobs, refLogprobs, weights }, options.klEstimator!);
      terms.push({ loss: penalty, coefficient: klCoefficient });
      metrics['losses/kl'] = penalty.loss;
    }
    metrics['actor/kl_reference'] = mean(logprobs.map((logprob, t) => klEstimate(logprob, refLogprobs[t], 'k3')));
  }
  if (options.entropyCoefficient > 0)
    terms.push({ loss: entropyBonus(entropies, weights), coefficient: options.entropyCoefficient });
  return { loss: weightedSum(...terms), metrics };
}

const exceedsTarget = (kl: number, { targetKl }: SurrogateOptions) => targetKl !== null && kl > targetKl;

function aggregationOf({ lossAggregation, lossDivisor }: SurrogateOptions): LossAggregation {
  return lossAggregation === 'constant' ? { kind: 'constant', divisor: lossDivisor! } : { kind: lossAggregation };
}

const tokenAdvantages = ({ advantages, old }: Prepared<AdvantageTurn>): Float32Array =>
  typeof advantages === 'number' ? new Float32Array(old.length).fill(advantages) : advantages;

/** Tokens of each episode of a batch. */
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
