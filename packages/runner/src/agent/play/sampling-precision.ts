// Rollouts whose sampler multiplies integers, while the trainer computes as ever: which settings allow it.
import type { AnyAlgorithm } from '@bowyer/algorithms';
import type { ConfigProblem, OptionsOf } from '@bowyer/core';
import type { Type } from '@sinclair/typebox';
import type { samplingPrecisionKey } from '../keys/agent-keys.js';
import { offPolicyProblems } from './off-policy-problems.js';
import type { RemotePolicyConfig } from './remote-rollouts.js';

type PrecisionOptions = OptionsOf<ReturnType<typeof Type.Object<typeof samplingPrecisionKey>>>;
/** A run on a dataset has no rollouts. */
export type SamplingPrecisionConfig = Partial<PrecisionOptions>;

export const samplesIntegers = ({ samplingPrecision }: SamplingPrecisionConfig): boolean =>
  samplingPrecision === 'integers';

export function samplingPrecisionProblems(
  algorithm: AnyAlgorithm | null | undefined,
  config: SamplingPrecisionConfig & { remotePolicy?: RemotePolicyConfig } & Readonly<Record<string, unknown>>,
): ConfigProblem[] {
  if (!samplesIntegers(config) || !algorithm) return [];
  const setting = {
    key: 'sampling_precision',
    chosen: 'sampling_precision=integers',
    plain: 'sampling_precision=float32',
    reason: 'does not correct for rollouts of another policy than the one that it trains',
  };
  return offPolicyProblems(algorithm, config, setting, [
    ['remote_policy.base_url', config.remotePolicy?.baseUrl ?? null, null, 'a server samples in arithmetic of its own'],
    ['action_choice', config.actionChoice ?? 'free', 'free', 'only policies that write freely sample with integers'],
    ['device', config.device ?? 'cpu', 'cpu', 'only the CPU multiplies matrices of integers here'],
  ]);
}
