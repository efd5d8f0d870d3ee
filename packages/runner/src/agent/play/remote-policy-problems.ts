// Reports why the rollouts cannot be played by a copy of the policy on a server (config node `remote_policy`).
import type { AnyAlgorithm } from '@bowyer/algorithms';
import type { ConfigProblem } from '@bowyer/core';
import type { NodePart } from '../keys/agent-keys.js';
import { offPolicyProblems } from './off-policy-problems.js';
import type { RemotePolicyConfig } from './remote-rollouts.js';

export function remotePolicyProblems(
  algorithm: AnyAlgorithm | null | undefined,
  config: NodePart<'play', 'actionChoice'> & { remotePolicy?: Partial<RemotePolicyConfig>; algorithm?: object },
): ConfigProblem[] {
  const { baseUrl = null, model = null, apiKeyEnv = null } = config.remotePolicy ?? {};
  if (baseUrl === null) {
    const unread = Object.entries({ model, api_key_env: apiKeyEnv }).filter(([, value]) => value !== null);
    return unread.map(([name, value]) => ({
      key: `remote_policy.${name}`,
      message: `remote_policy.${name}=${value}: no server is named, so the run's own policy plays`,
      remedy: `give its address with remote_policy.base_url=http://HOST:PORT/v1, or write remote_policy.${name}=null`,
    }));
  }
  if (!algorithm) return [];
  const setting = {
    key: 'remote_policy.base_url',
    chosen: `remote_policy.base_url=${baseUrl}`,
    plain: 'remote_policy.base_url=null',
    reason: 'learns from the episodes of its own policy',
  };
  const problems = offPolicyProblems(algorithm, config, setting, [
    ['play.action_choice', config.play.actionChoice, 'free', 'a server writes freely'],
  ]);
  if (apiKeyEnv !== null && process.env[apiKeyEnv] === undefined)
    problems.push({
      key: 'remote_policy.api_key_env',
      message: `the environment variable ${apiKeyEnv} is not set; it should contain the key of ${baseUrl}`,
      remedy: 'set it, or write remote_policy.api_key_env=null for a server that requires none',
    });
  return problems;
}
