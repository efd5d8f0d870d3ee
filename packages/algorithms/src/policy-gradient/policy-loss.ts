// Computes the loss of a minibatch, and declares the options of its terms: the clipped surrogate, the loss of a value head on the
// same trunk, an entropy bonus and a KL penalty.
import { Type, type TObject } from '@sinclair/typebox';
import {
  choice,
  clippedValueLoss,
  entropyBonus,
  group,
  gspoLoss,
  integer,
  klEstimate,
  klPenalty,
  maximum,
  mean,
  nonNegative,
  optional,
  positive,
  ppoClipLoss,
  ratioBounds,
  weightedSum,
  type ConfigProblem,
  type LossAggregation,
  type OptionsOf,
  type ScoredTokens,
  type TokenLoss,
} from '@bowyer/core';
import type { SurrogateLoss, TokenExample } from '@bowyer/models';
import type { LearnedTurn, TurnBatch } from '../learning/pack-turns.js';
import type { Metrics } from '../rollout/run-hooks.js';

interface LossDefaults {
  aggregation?: LossAggregation['kind'];
  dualClip?: number | null;
  entropyCoefficient?: number;
}

const RATIO_KINDS = ['token', 'turn', 'sequence'] as const;

/** Declares the options of the clipped surrogate. */
export const surrogateLoss = ({
  aggregation = 'token_mean',
  dualClip = null,
  entropyCoefficient = 0,
}: LossDefaults = {}) =>
  group(
    {
      aggregation: choice(
        ['token_mean', 'sequence_mean_token_mean', 'sequence_mean_token_sum', 'constant'],
        aggregation,
        'how token losses are summed: mean over tokens (DAPO), mean over sequences of their token means (GRPO) or token sums ' +
          '(REINFORCE), or of token sums divided by algorithm.loss.divisor (constant: Dr. GRPO)',
        { flat: 'loss_aggregation' },
      ),
      divisor: optional(
        positive,
        'divisor of token sums with algorithm.loss.aggregation=constant, such as the longest possible episode in tokens; null with any other',
        { flat: 'loss_divisor' },
      ),
      ratio: choice(
        RATIO_KINDS,
        'token',
        'what has one ratio of probabilities: a token (PPO), or a turn or episode (GSPO: geometric mean over its tokens)',
        { flat: 'ratio' },
      ),
      clip_low: positive(0.2, 'width of the interval of unclipped ratios below 1', { flat: 'clip_low' }),
      clip_high: positive(
        0.2,
        'width of the interval of unclipped ratios above 1; larger than algorithm.loss.clip_low: clip-higher (DAPO)',
        { flat: 'clip_high' },
      ),
      dual_clip: optional(
        () => Type.Number({ exclusiveMinimum: 1 }),
        'bound of a loss with negative advantage, in units of the advantage; null: none',
        { flat: 'dual_clip', default: dualClip },
      ),
      old_logprobs: choice(
        ['sampled', 'recomputed'],
        'sampled',
        'denominator of the ratio: log-probabilities stored by the sampler, or those of the trainer before the first step',
        { flat: 'old_logprobs' },
      ),
      entropy_coefficient: nonNegative(entropyCoefficient, 'weight of the entropy bonus per token', {
        flat: 'entropy_coefficient',
      }),
    },
    'the loss of a minibatch',
  );

export const maxBatchTokensOption = (limit: string) =>
  optional(
    integer,
    `tokens with padding that run through the policy at once; more are split, with the same gradient; null: ${limit}`,
    { flat: 'max_batch_tokens' },
  );

/** Declares the options of the passes over a rollout. */
export const passMembers = ({ epochs = 1, minibatchSize = 128 } = {}) => ({
  epochs: integer(epochs, 'passes of the policy over the turns of a rollout', { flat: 'inner_epochs' }),
  sequence: choice(
    ['episode', 'turn'],
    'episode',
    'what minibatches are drawn from, and what counts as a sequence in algorithm.loss.aggregation: an episode, or a turn, so that long ' +
      'episodes count more, as in verl-agent',
    { flat: 'sequence' },
  ),
  minibatch_size: integer(minibatchSize, 'sequences per optimizer step', { flat: 'minibatch_size' }),
  max_batch_tokens: maxBatchTokensOption(
    '2,048 (large models: 640), or no limit with algorithm.actor.target_kl, with algorithm.loss.ratio other than token and on a GPU',
  ),
  target_kl: optional(
    positive,
    'an update ends where the KL to the sampling policy, in nats per token, is larger; null: never',
    { flat: 'target_kl' },
  ),
  update_kl: optional(
    positive,
    'largest KL from the policy that sampled to the updated one, in nats per episode: an update ends where more is measured, is ' +
      'undone at four times as much, and its KL sets the learning rate of the next one; null: no bound, and the rate of algorithm.actor.schedule',
    { flat: 'update_kl' },
  ),
});

/** Declares the options of the KL to the reference policy. */
export const klMembers = ({ coefficient, kind }: { coefficient: number; kind: 'loss' | 'reward' }) => ({
  coefficient: nonNegative(
    coefficient,
    'weight of the KL to the reference policy, the start of the run; 0: none, and no reference',
    { flat: 'kl_coefficient' },
  ),
  in: choice(['loss', 'reward'], kind, 'the KL is a term of the loss, or is subtracted from the rewards', {
    flat: 'kl_in',
  }),
  estimator: choice(
    ['k1', 'k2', 'k3'],
    'k3',
    'estimator of the KL from one token, in the loss (there the gradient of k1 is noise); in rewards it is always k1',
    { flat: 'kl_estimator' },
  ),
});

/** Reports options with which the old log-probabilities of the ratio are not those of the policy that sampled. */
export function surrogateOffPolicyProblems({ loss }: Pick<SurrogateOptions, 'loss'>): ConfigProblem[] {
  if (loss.oldLogprobs === 'sampled') return [];
  const key = 'algorithm.loss.old_logprobs';
  const message = `${key}=recomputed: the ratio would be to the policy that learns, not to the one that played`;
  return [{ key, message, remedy: `write ${key}=sampled` }];
}

type PassOptions = OptionsOf<TObject<ReturnType<typeof passMembers>>>;

export interface SurrogateOptions {
  actor: PassOptions & { maxGradNorm: number; scoreTerminator: boolean };
  loss: OptionsOf<ReturnType<typeof surrogateLoss>>;
}

export interface PolicyUpdateOptions extends SurrogateOptions {
  kl: OptionsOf<TObject<ReturnType<typeof klMembers>>>;
}

/** Reports `loss.divisor` without `loss.aggregation=constant`, or this aggregation without a divisor. */
export function policyUpdateProblems({
  loss: { aggregation, divisor },
}: Pick<SurrogateOptions, 'loss'>): ConfigProblem[] {
  if ((aggregation === 'constant') === (divisor !== null)) return [];
  const key = 'algorithm.loss.divisor';
  return [
    {
      key,
      message: `${key}=${divisor} does not go with algorithm.loss.aggregation=${aggregation}: a divisor belongs to constant, and constant needs one`,
      remedy:
        divisor === null
          ? 'give the longest possible episode in tokens (play.max_turns * sampling.max_new_tokens)'
          : `write ${key}=null, or algorithm.loss.aggregation=constant`,
    },
  ];
}

/** A turn with its advantages. Arrays are [tokens], with one entry per scored token. */
export interface AdvantageTurn extends LearnedTurn {
  /** A of the whole utterance, or of each token. */
  advantages: number | Float32Array;
  /** Log-probabilities in nats under the reference policy, where the caller has computed them. */
  refLogprobs?: Float32Array;
}

/** A turn with the log-probabilities in nats that are constant during an update: under the sampling policy and the reference policy. */
export type Prepared<Turn> = Turn & { old: Float32Array; ref: Float32Array };

/** A value head on the policy's own trunk, whose loss is a term of the policy's. */
export interface TrunkValue<Turn> {
  /** Makes the batch's examples with value weights, so that V is computed too. */
  examplesOf(batch: TurnBatch<Turn>): TokenExample[];
  termOf(batch: TurnBatch<Turn>): ValueTerm;
  /** Makes the head's own optimizer step; called after every optimizer step of the policy. */
  step(): Promise<void>;
}

/** The value term of a minibatch's loss. Arrays are [M], one entry for each position of the minibatch at which V is computed. */
interface ValueTerm {
  /** V at the time of the rollout. */
  oldValues: Float32Array;
  /** R, the targets of V. */
  returns: Float32Array;
  /** c, the weight of the term. */
  coefficient: number;
  /** ε_V; Infinity for the plain squared error. */
  clip: number;
}

/**
 * The loss in the form that the training graph computes itself; undefined where a token's gradient also depends on other tokens.
 */
export function surrogateOf(
  {
    refLogprobs,
    ...tokens
  }: Omit<SurrogateLoss, 'form' | 'scalars' | 'entropyCoefficient' | 'values'> & { refLogprobs: Float32Array },
  values: ValueTerm | undefined,
  options: SurrogateOptions & Partial<PolicyUpdateOptions>,
): SurrogateLoss | undefined {
  const { targetKl } = options.actor;
  const { ratio, dualClip, entropyCoefficient } = options.loss;
  // With a target KL, the host decides after the forward pass whether a step is taken.
  if (ratio !== 'token' || targetKl !== null) return undefined;
  const klEstimator = refLogprobs.length > 0 && options.kl!.in === 'loss' ? options.kl!.estimator : null;
  const form = {
    policy: 'clip' as const,
    isWide: false,
    dualClip,
    klEstimator,
    hasEntropyBonus: entropyCoefficient > 0,
  };
  const { low, high } = ratioBounds(options.loss);
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
 * Sums the terms of a minibatch's loss, with ℓ the clipped loss of a token and H_t the policy's entropy at it:
 *
 *     L = Σ_t w_t ℓ(ρ_t, A_t) + c · ½ mean max((V − R)², (clip(V, V_old ± ε_V) − R)²) − e Σ_t w_t H_t + β Σ_t w_t KL_t
 *
 * @param batch arrays [N] over its tokens, except those of `value`; without `refLogprobs` (length 0) there is no KL
 */
export function policyLoss(
  { logprobs, entropies, values }: ScoredTokens,
  batch: Record<'oldLogprobs' | 'refLogprobs' | 'advantages' | 'weights', Float32Array> & {
    ratioLengths: number[];
    klCoefficient: number;
    value: ValueTerm | undefined;
  },
  { loss: how, kl }: SurrogateOptions & Partial<PolicyUpdateOptions>,
): { loss: TokenLoss; metrics: Metrics } {
  const { oldLogprobs, refLogprobs, advantages, weights, ratioLengths, klCoefficient, value } = batch;
  const ratioed = { logprobs, oldLogprobs, advantages, weights };
  const surrogate =
    how.ratio === 'token' ? ppoClipLoss(ratioed, how) : gspoLoss({ ...ratioed, lengths: ratioLengths }, how);
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
  if (how.entropyCoefficient > 0)
    terms.push({ loss: entropyBonus(entropies, weights), coefficient: how.entropyCoefficient });
  if (refLogprobs.length > 0) {
    if (kl!.in === 'loss') {
      const penalty = klPenalty({ logprobs, refLogprobs, weights }, kl!.estimator);
      terms.push({ loss: penalty, coefficient: klCoefficient });
      metrics['losses/kl'] = penalty.loss;
    }
    metrics['actor/kl_reference'] = mean(logprobs.map((logprob, t) => klEstimate(logprob, refLogprobs[t], 'k3')));
  }
  return { loss: weightedSum(...terms), metrics };
}

/** Computes PPO's value loss as a mean over the values of a batch, with its gradient by V. */
export function valueLoss(values: Float32Array, { oldValues, returns, clip }: Omit<ValueTerm, 'coefficient'>) {
  const weights = new Float32Array(values.length).fill(1 / values.length);
  return clippedValueLoss({ values, oldValues, returns, weights }, { clipRange: clip });
}

export const valueMetrics = ({ loss, clipFraction }: { loss: number; clipFraction: number }): Metrics => ({
  'losses/value': loss,
  'critic/clip_fraction': clipFraction,
});
