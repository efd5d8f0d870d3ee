// Reports why rollouts cannot be played asynchronously, that is during the updates and before the iterations that learn from
// them.
import type { AnyAlgorithm } from '@bowyer/algorithms';
import type { ConfigProblem } from '@bowyer/core';
import type { NodePart } from '../keys/agent-keys.js';
import { offPolicyProblems, type Beside } from './off-policy-problems.js';
import type { RolloutConfig } from './rollouts-ahead.js';
import type { RemotePolicyConfig } from './remote-rollouts.js';

export interface AheadConfig extends NodePart<'play', 'actionChoice'>, NodePart<'device', 'kind'> {
  rollout?: RolloutConfig;
  remotePolicy?: RemotePolicyConfig;
  algorithm?: { rollout?: { samplingRounds?: number; horizon?: readonly unknown[] | null } };
  memory?: { kind: string };
}

export function rolloutProblems(algorithm: AnyAlgorithm | null | undefined, config: AheadConfig): ConfigProblem[] {
  const { mode = 'synchronous' } = config.rollout ?? {};
  if (mode === 'synchronous' || !algorithm) return [];
  const setting = {
    key: 'rollout.mode',
    chosen: `rollout.mode=${mode}`,
    plain: 'rollout.mode=synchronous',
    reason: 'learns from the episodes of its newest policy',
  };
  const beside: Beside[] = [
    ['remote_policy.base_url', config.remotePolicy?.baseUrl ?? null, null, 'a server plays with weights of its own'],
    ['play.action_choice', config.play.actionChoice, 'free', 'only policies that write freely can play ahead'],
    [
      'algorithm.rollout.sampling_rounds',
      config.algorithm?.rollout?.samplingRounds ?? 1,
      1,
      'the result of a second round would be known too late',
    ],
    [
      'memory.kind',
      config.memory?.kind ?? 'none',
      'none',
      'rollouts that are played ahead have not been tested with one',
    ],
    [
      'device.kind',
      config.device.kind === 'webgpu' ? 'webgpu' : 'cpu',
      'cpu',
      'two devices on one GPU have not been tested there',
    ],
  ];
  if (mode === 'asynchronous')
    beside.push([
      'algorithm.rollout.horizon',
      config.algorithm?.rollout?.horizon ?? null,
      null,
      'episodes belong to no iteration when they begin',
    ]);
  return offPolicyProblems(algorithm, config, setting, beside);
}
