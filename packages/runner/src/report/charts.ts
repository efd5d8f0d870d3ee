// Lists the charts of a run's report in their order. A chart is omitted if the run does not have its metrics.
import type { ChartSpec } from '@bowyer/views';

export function chartSpecs(optimalReturn: number | null): ChartSpec[] {
  const references = optimalReturn === null ? [] : [{ name: 'best possible', value: optimalReturn }];
  return [
    { title: 'Mean return', keys: ['rollout/episodic_return', 'eval/episodic_return'], references },
    { title: 'Win rate', keys: ['rollout/win_rate', 'eval/win_rate'] },
    { title: 'Loss of imitation', unit: 'nats', keys: ['losses/nll', 'eval/nll'] },
    { title: 'Loss of the warm start', unit: 'nats', xLabel: 'epoch', keys: ['warm_start/nll'] },
    { title: 'Share of actions', keys: ['rollout/invalid_share', 'rollout/repeated_share'] },
    { title: 'Critic against returns', keys: ['eval/q_mean', 'eval/discounted_return_mean'] },
    { title: 'Critic losses', keys: ['losses/q1', 'losses/q2', 'losses/v1', 'losses/v2', 'losses/value'] },
    { title: 'Policy loss', keys: ['losses/policy', 'losses/dpo'] },
    { title: 'Advantages', keys: ['actor/advantages_mean', 'actor/advantages_std'] },
    { title: 'Entropy of an utterance', unit: 'nats', keys: ['rollout/utterance_entropy'] },
    { title: 'KL divergence', unit: 'nats per token', keys: ['diagnostics/kl_sampling', 'diagnostics/kl_to_start'] },
    { title: 'Sampler against trainer', unit: 'nats', keys: ['diagnostics/logprob_mismatch'] },
    { title: 'Groups without signal', keys: ['groups/flat_share'] },
    { title: 'Gradient norms before the clip', keys: ['optim/policy_gradient_norm', 'optim/critic_gradient_norm'] },
    { title: 'Turns of an episode', keys: ['rollout/episode_turns', 'eval/episode_turns'] },
    { title: 'Learning rate', keys: ['optim/lm_lr'] },
  ];
}
