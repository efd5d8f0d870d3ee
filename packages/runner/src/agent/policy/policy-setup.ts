import { join } from 'node:path';
import type { Device } from '@bowyer/graph';
import { LanguageModel, openAdapterDirectory, type OptimizerOptions } from '@bowyer/models';
import { loadTokenizer } from '@bowyer/text';
import type { AgentConfig, NodePart } from '../keys/agent-keys.js';
import type { EnvironmentConfig } from '../environment/environment.js';
import { maskedTokenIds } from '../chat/agent-tokens.js';
import { keptTemplate } from '../chat/chat-setup.js';

/** The optimizer of critics and value heads, and the default of the policy: PyTorch's Adam without weight decay. */
export const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;

export function policyOptimizer({ optimizer }: Pick<AgentConfig, 'optimizer'>): OptimizerOptions {
  const { kind, weightDecay } = optimizer;
  if (kind === 'sgd') return { kind, momentum: optimizer.momentum, nesterov: optimizer.nesterov, weightDecay };
  const adam = { betas: [optimizer.betas[0], optimizer.betas[1]] as const, eps: optimizer.eps, weightDecay };
  if (kind === 'muon') return { kind, ...adam, momentum: optimizer.momentum, nesterov: optimizer.nesterov };
  return { kind, ...adam };
}

/** The config nodes that decide how a policy is loaded. Without the config node `env` no token is masked. */
export type PolicyConfig = Partial<EnvironmentConfig> &
  Pick<AgentConfig, 'seed'> &
  NodePart<'policy', 'quantization'> &
  Partial<Pick<AgentConfig, 'lora'> & NodePart<'chat', 'template'>> & { device?: Partial<AgentConfig['device']> };

/**
 * @param folder a model in Hugging Face's format, or an adapter in PEFT's
 * @param use for training, the policy gets new adapters if `lora.enabled` is true
 */
export async function loadPolicy(
  folder: string,
  config: PolicyConfig,
  device: Device,
  use: 'play' | 'train' = 'play',
): Promise<LanguageModel> {
  const { baseDir } = await openAdapterDirectory(folder);
  const tokenizer = await loadTokenizer(baseDir);
  const { policy, seed, chat, lora, device: settings } = config;
  const isTrained = use === 'train';
  return LanguageModel.load({
    device,
    dir: folder,
    maskedTokenIds: maskedTokenIds(tokenizer, config),
    chatTemplate: await keptTemplate(chat?.template ?? null, tokenizer),
    quantization: policy.quantization,
    lora: isTrained && lora?.enabled ? { ...lora, seed } : undefined,
    gradientCheckpointing: isTrained && settings?.gradientCheckpointing,
  });
}

/**
 * Saves the exact state from which training resumes: the model in the usual format, the state of its optimizer, and the value
 * head if it has one.
 */
export async function savePolicyState(policy: LanguageModel, folder: string): Promise<void> {
  await policy.save(folder);
  await policy.optimizer.save(join(folder, OPTIMIZER));
  if (policy.hasValueHead) await policy.valueHead.save(folder);
}

/** Restores the optimizer of a policy that was loaded from `folder`, and its value head where it has one. */
export async function restoreOptimizer(policy: LanguageModel, folder: string): Promise<void> {
  await policy.optimizer.restore(join(folder, OPTIMIZER));
  if (policy.hasValueHead) await policy.valueHead.restore(folder);
}

const OPTIMIZER = 'optimizer.safetensors';
