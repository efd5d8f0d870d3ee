import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Device } from '@bowyer/graph';
import { readSafetensors, writeSafetensors } from '@bowyer/checkpoints';
import { LanguageModel, loadTokenizer, openAdapterDirectory, type OptimizerOptions } from '@bowyer/models';
import { agentTokens } from './agent-tokens.js';
import type { RunConfig } from './run-config.js';

/** The critics' optimizer, and the default of the policy: ArCHer's, which is PyTorch's Adam without weight decay. */
export const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;

/** What the `optimizer` node asks for; keys that its kind does not have are not looked at. */
export function policyOptimizer({ optimizer }: RunConfig): OptimizerOptions {
  const { kind, betas, eps, weightDecay, momentum, nesterov } = optimizer;
  if (kind === 'sgd') return { kind, momentum, nesterov, weightDecay };
  return { kind, betas: [betas[0], betas[1]], eps, weightDecay };
}

/**
 * @param folder a model in Hugging Face layout, or an adapter in PEFT's
 * @param use training puts the config's adapters beside a whole model where `use_lora` asks for them
 */
export async function loadPolicy(
  folder: string,
  config: RunConfig,
  device: Device,
  use: 'play' | 'train' = 'play',
): Promise<LanguageModel> {
  const { baseDir } = await openAdapterDirectory(folder);
  const { maskedTokenIds } = agentTokens(await loadTokenizer(baseDir), config);
  const { quantization, useLora, lora, seed, gradientCheckpointing } = config;
  const adapters = use === 'train' && useLora ? { ...lora, seed } : undefined;
  return LanguageModel.load({
    device,
    dir: folder,
    maskedTokenIds,
    quantization,
    lora: adapters,
    gradientCheckpointing,
  });
}

/** Writes, bit for bit, what training goes on from. */
export async function savePolicyState(policy: LanguageModel, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeSafetensors(join(folder, 'parameters.safetensors'), await policy.copyParameters());
  await policy.optimizer.save(join(folder, 'optimizer.safetensors'));
}

export async function restorePolicy(policy: LanguageModel, folder: string): Promise<void> {
  const path = join(folder, 'parameters.safetensors');
  await policy.restoreParameters(await readSafetensors(path), path);
  await policy.optimizer.restore(join(folder, 'optimizer.safetensors'));
}
