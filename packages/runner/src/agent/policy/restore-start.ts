// Resets a policy to the initial weights of its run, for algorithms whose every iteration trains again from the initial weights.
import type { TrainingRun } from '@bowyer/algorithms';
import type { Device } from '@bowyer/graph';
import type { LanguageModel } from '@bowyer/models';
import type { AgentConfig } from '../keys/agent-keys.js';
import { freshPolicy, type FreshPolicyConfig } from './fresh-policy.js';
import { loadPolicy, policyOptimizer, type PolicyConfig } from './policy-setup.js';
import type { Start } from './reference-policy.js';

type RestoreConfig = PolicyConfig & FreshPolicyConfig & Pick<AgentConfig, 'optimizer'>;

/** The initial weights are in memory only while they are copied. */
export function startRestorer(
  policy: LanguageModel,
  { folder, data }: Start,
  config: RestoreConfig,
  device: Device,
): TrainingRun['restoreStart'] {
  return async () => {
    if (folder !== null) return restorePolicy(policy, folder, config, device);
    await takeWeights(policy, await freshPolicy(data!, config, device), config);
  };
}

/** Gives a policy the weights of a saved policy, which are in memory twice only while they are copied, and a new optimizer. */
export async function restorePolicy(
  policy: LanguageModel,
  folder: string,
  config: RestoreConfig,
  device: Device,
): Promise<void> {
  await takeWeights(policy, await loadPolicy(folder, config, device, 'train'), config);
}

async function takeWeights(policy: LanguageModel, other: LanguageModel, config: RestoreConfig): Promise<void> {
  try {
    await policy.restoreParameters(await other.copyParameters());
  } finally {
    await other.release();
  }
  await policy.createOptimizer(policyOptimizer(config));
}
