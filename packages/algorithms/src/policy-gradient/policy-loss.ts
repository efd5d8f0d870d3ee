// The loss of a minibatch: the clipped surrogate, the loss of a value head on the same trunk, an entropy bonus and a KL penalty.
// Its options come first, named after the papers that they come from.
import { Type } from '@sinclair/typebox';
import {
  clippedValueLoss,
  count,
  entropyBonus,
  gspoLoss,
  klEstimate,
  klPenalty,
  maximum,
  mean,
  nullable,
  oneOf,
  ppoClipLoss,
  rate,
  ratioBounds,
  weightedSum,
  type ConfigProblem,
  type KlEstimator,
  type LossAggregation,
  type ScoredTokens,
  type TokenLoss,
} from '@bowyer/core';
import type { SurrogateLoss, TokenExample } from '@bowyer/models';
import { referenceKeys } from '../learning/reference-policy.js';
import { scoreTerminatorKey } from '../learning/pack-turns.js';
import type { LearnedTurn, TurnBatch } from '../learning/pack-turns.js';
import type { Metrics } from '../rollout/run-hooks.js';

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
  update_kl: nullable(
    rate('nats per episode'),
    'largest KL from the policy that sampled to the updated one, in nats per episode: passes end where more is measured, the learning rate ' +
      'follows, and an update that goes far beyond is undone; null: no bound, and the rate of lm_schedule',
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
  updateKl: number | null;
  maxGradNorm: number;
  scoreTerminator: boolean;
}

export interface PolicyUpdateOptions extends SurrogateOptions {
  klCoefficient: number;
  klIn: 'loss' | 'reward';
  klEstimator: KlEstimator;
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

/** A turn and what is learned from it. Arrays are [tokens] of its scored tokens: the utterance, then the terminator if it is scored. */
export interface AdvantageTurn extends LearnedTurn {
  /** A of the whole utterance, or of each token. */
  advantages: number | Float32Array;
  /** Nats, under the reference policy, where the caller has them already. */
  refLogprobs?: Float32Array;
}

/** A turn with the log-probabilities that stay constant during an update, in nats: of the sampler and of the reference policy. */
export type Prepared<Turn> = Turn & { old: Float32Array; ref: Float32Array };

/** A value head on the policy's own trunk, whose loss is a term of the policy's. */
export interface TrunkValue<Turn> {
  /** The batch's examples, which ask for V too. */
  examplesOf(batch: TurnBatch<Turn>): TokenExample[];
  termOf(batch: TurnBatch<Turn>): ValueTerm;
  /** Takes the head's own step; called after every optimizer step of the policy. */
  step(): Promise<void>;
}

/** The value term of a minibatch: arrays are [M], of the values that its examples ask for. */
export interface ValueTerm {
  /** V at the rollout. */
  oldValues: Float32Array;
  /** R */
  returns: Float32Array;
  /** c */
  coefficient: number;
  /** ε_V; Infinity: the plain squared error. */
  clip: number;
}

/** The loss of a minibatch for the training graph; undefined where a token's gradient depends on other tokens too. */
export function surrogateOf(
  {
    refLogprobs,
    ...tokens
  }: Omit<SurrogateLoss, 'form' | 'scalars' | 'entropyCoefficient' | 'values'> & { refLogprobs: Float32Array },
  values: ValueTerm | undefined,
  options: SurrogateOptions & Partial<PolicyUpdateOptions>,
): SurrogateLoss | undefined {
  const { ratio, targetKl, clipLow, clipHigh, dualClip, entropyCoefficient } = options;
  // Whether the update ends here is known after the pass.
  if (ratio !== 'token' || targetKl !== null) return undefined;
  const klEstimator = refLogprobs.length > 0 && options.klIn === 'loss' ? options.klEstimator! : null;
  const form = {
    policy: 'clip' as const,
    isWide: false,
    dualClip,
    klEstimator,
    hasEntropyBonus: entropyCoefficient > 0,
  };
  const { low, high } = ratioBounds({ clipLow, clipHigh, dualClip });
  return {
    ...tokens,
    ...(klEstimator && { refLogprobs }),
    scalars: { low, high },
    entropyCoefficient,
    values,
    form: { ...form, valueClip: values?.clip ?? null },
  };
}

/**
 * Sums the terms of a minibatch's loss:
 *
 *     L = Σ_t w_t ℓ(ρ_t, A_t) + c · ½ mean max((V − R)², (clip(V, V_old ± ε_V) − R)²) − e Σ_t w_t H_t + β Σ_t w_t KL_t
 *
 * where ℓ is the clipped loss of a token. Without `value` there is no value term, without `refLogprobs` (an array of length 0) no KL.
 *
 * @param batch arrays [N], of its tokens, besides those of `value`
 */
export function policyLoss(
  { logprobs, entropies, values }: ScoredTokens,
  batch: Record<'oldLogprobs' | 'refLogprobs' | 'advantages' | 'weights', Float32Array> & {
    ratioLengths: number[];
    klCoefficient: number;
    value: ValueTerm | undefined;
  },
  options: SurrogateOptions & Partial<PolicyUpdateOptions>,
): { loss: TokenLoss; metrics: Metrics } {
  const { oldLogprobs, refLogprobs, advantages, weights, ratioLengths, klCoefficient, value } = batch;
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
  if (value) {
    const { gradient: valueGradient, ...squared } = valueLoss(values, value);
    const loss = { loss: squared.loss, gradient: new Float32Array(logprobs.length), valueGradient };
    terms.push({ loss, coefficient: value.coefficient });
    Object.assign(metrics, valueMetrics(squared));
  }
  if (options.entropyCoefficient > 0)
    terms.push({ loss: entropyBonus(entropies, weights), coefficient: options.entropyCoefficient });
  if (refLogprobs.length > 0) {
    if (options.klIn === 'loss') {
      const penalty = klPenalty({ logprobs, refLogprobs, weights }, options.klEstimator!);
      terms.push({ loss: penalty, coefficient: klCoefficient });
      metrics['losses/kl'] = penalty.loss;
    }
    metrics['actor/kl_reference'] = mean(logprobs.map((logprob, t) => klEstimate(logprob, refLogprobs[t], 'k3')));
  }
  return { loss: weightedSum(...terms), metrics };
}

/** Returns PPO's value loss as a mean over the values of a batch, with its gradient by V. */
export function valueLoss(values: Float32Array, { oldValues, returns, clip }: Omit<ValueTerm, 'coefficient'>) {
  const weights = new Float32Array(values.length).fill(1 / values.length);
  return clippedValueLoss({ values, oldValues, returns, weights }, { clipRange: clip });
}

export const valueMetrics = ({ loss, clipFraction }: { loss: number; clipFraction: number }): Metrics => ({
  'losses/value': loss,
  'critic/clip_fraction': clipFraction,
});
