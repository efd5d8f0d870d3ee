// Makes the model with the value head, which estimates the value of each token's state: the policy itself, or a separate network
// with the policy's initial weights.
import type { ValueFunction } from '@bowyer/algorithms';
import type { Device } from '@bowyer/graph';
import type { LanguageModel } from '@bowyer/models';
import { adam, loadPolicy, policyOptimizer, type PolicyConfig } from './policy-setup.js';
import type { AgentConfig } from '../keys/agent-keys.js';

/**
 * Adds a value head to the policy, or loads a separate network with one. From a checkpoint, only the weights of the separate
 * network are restored here, not the value head and the optimizers.
 *
 * @param folder of the separate network: the run's initial policy, or the network in a checkpoint
 */
export async function makeValueModel(
  kind: ValueFunction,
  policy: LanguageModel,
  folder: string,
  config: PolicyConfig & Pick<AgentConfig, 'optimizer'>,
  device: Device,
): Promise<LanguageModel> {
  const model = kind === 'trunk' ? policy : await loadPolicy(folder, config, device, 'train');
  if (kind === 'critic') await model.createOptimizer(policyOptimizer(config));
  await model.createValueHead(adam);
  return model;
}
