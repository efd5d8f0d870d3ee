// The model with the value head: the policy itself, or a network of its own that starts as the policy does.
import type { ValueFunction } from '@bowyer/algorithms';
import type { Device } from '@bowyer/graph';
import type { LanguageModel } from '@bowyer/models';
import { adam, loadPolicy, policyOptimizer, type PolicyConfig } from './policy-setup.js';
import type { AgentConfig } from '../keys/agent-keys.js';

/**
 * Puts the head on the policy, or loads a network of its own with one, each with its optimizers. Nothing of a checkpoint is restored here
 * but the network's weights.
 *
 * @param folder of the network: the start of the run, or what a checkpoint saved of it
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
