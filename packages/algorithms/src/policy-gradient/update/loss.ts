// The loss of a minibatch: the clipped surrogate, a KL penalty and an entropy bonus, with a further loss of the same pass beside them.
import {
  entropyBonus,
  gspoLoss,
  klEstimate,
  klPenalty,
  maximum,
  mean,
  ppoClipLoss,
  weightedSum,
  type ScoredTokens,
  type TokenLoss,
} from '@bowyer/core';
import type { SurrogateLoss, TokenExample } from '@bowyer/models';
import type { TurnBatch } from '../../learning/turn-batch.js';
import type { Metrics } from '../../rollout/run-hooks.js';
import type { PolicyUpdateOptions, SurrogateOptions } from './options.js';
import type { AdvantageTurn, Prepared } from './preparation.js';

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

/** The loss of a minibatch for the training graph; undefined where a token's gradient depends on other tokens too. */
export function surrogateOf<Turn extends AdvantageTurn>(
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
export function policyLoss(
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
