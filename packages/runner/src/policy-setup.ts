import type { Device } from '@bowyer/graph';
import { LanguageModel, loadTokenizer } from '@bowyer/models';
import { agentTokens } from './agent-tokens.js';
import type { RunConfig } from './run-config.js';

/** Adam's settings of ArCHer: PyTorch's defaults, no weight decay. */
export const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;

/** @param folder a model in Hugging Face layout */
export async function loadPolicy(folder: string, config: RunConfig, device: Device): Promise<LanguageModel> {
  const { maskedTokenIds } = agentTokens(await loadTokenizer(folder), config);
  return LanguageModel.load({ device, dir: folder, maskedTokenIds });
}
