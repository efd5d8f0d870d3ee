// Options of the clipped policy update, named after the papers that they come from.
import { Type } from '@sinclair/typebox';
import { count, nullable, oneOf, rate, type ConfigProblem, type KlEstimator, type LossAggregation } from '@bowyer/core';
import { referenceKeys } from '../../learning/reference-policy.js';
import { scoreTerminatorKey } from '../../learning/token-examples.js';

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
