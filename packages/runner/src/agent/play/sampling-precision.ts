// Checks whether a run's settings allow `sampling.precision=integers`: the sampler then multiplies integers while the trainer
// computes in float32, so that rollouts are slightly off-policy.
import type { AnyAlgorithm } from '@bowyer/algorithms';
import type { ConfigProblem } from '@bowyer/core';
import type { NodePart } from '../keys/agent-keys.js';
import { offPolicyProblems } from './off-policy-problems.js';
import type { RemotePolicyConfig } from './remote-rollouts.js';

/** The part of a config that decides the precision. A run that trains on a dataset samples no rollouts and has no `precision`. */
export interface SamplingPrecisionConfig {
  sampling: { precision?: 'float32' | 'integers' };
}

export const samplesIntegers = ({ sampling }: SamplingPrecisionConfig): boolean => sampling.precision === 'integers';

export function samplingPrecisionProblems(
  algorithm: AnyAlgorithm | null | undefined,
  config: SamplingPrecisionConfig &
    NodePart<'play', 'actionChoice'> &
    NodePart<'device', 'kind'> & { remotePolicy?: RemotePolicyConfig; algorithm?: object },
): ConfigProblem[] {
  if (!samplesIntegers(config) || !algorithm) return [];
  const setting = {
    key: 'sampling.precision',
    chosen: 'sampling.precision=integers',
    plain: 'sampling.precision=float32',
    reason: 'does not correct for rollouts of another policy than the one that it trains',
  };
  return offPolicyProblems(algorithm, config, setting, [
    ['remote_policy.base_url', config.remotePolicy?.baseUrl ?? null, null, 'a server samples in arithmetic of its own'],
    ['play.action_choice', config.play.actionChoice, 'free', 'only policies that write freely sample with integers'],
    ['device.kind', config.device.kind, 'cpu', 'only the CPU multiplies matrices of integers here'],
  ]);
}
