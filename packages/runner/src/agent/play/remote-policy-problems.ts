// Reports why a policy that a server runs cannot play the rollouts.
import type { AnyAlgorithm } from '@bowyer/algorithms';
import type { ConfigProblem } from '@bowyer/core';
import type { NodePart } from '../keys/agent-keys.js';
import { offPolicyAlgorithms } from './off-policy-problems.js';
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
  const problems: ConfigProblem[] = [];
  const key = 'remote_policy.base_url';
  if (algorithm.offPolicyRollouts === undefined)
    problems.push({
      key,
      message: `remote_policy.base_url=${baseUrl}: ${algorithm.name} learns from the episodes of its own policy`,
      remedy: `write remote_policy.base_url=null, or choose ${offPolicyAlgorithms().join(', ')}`,
    });
  else problems.push(...algorithm.offPolicyRollouts(config.algorithm as Record<string, unknown>));
  const { actionChoice } = config.play;
  if (actionChoice !== 'free')
    problems.push({
      key: 'action_choice',
      message: `action_choice=${actionChoice}: a server writes freely`,
      remedy: 'write action_choice=free, or remote_policy.base_url=null',
    });
  if (apiKeyEnv !== null && process.env[apiKeyEnv] === undefined)
    problems.push({
      key: 'remote_policy.api_key_env',
      message: `the environment variable ${apiKeyEnv} is not set; it should contain the key of ${baseUrl}`,
      remedy: 'set it, or write remote_policy.api_key_env=null for a server that requires none',
    });
  return problems;
}
