import { hash32, Rng } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import {
  DoubleCritic,
  encoderConfigFromJson,
  LineEncoder,
  RecencyEncoder,
  TransformerEncoder,
  type CriticEncoder,
} from '@bowyer/models';
import type { Tokenizer } from '@bowyer/text';
import { adam } from '../policy/policy-setup.js';
import { environmentInfo } from '@bowyer/envs';
import type { AgentConfig } from '../keys/agent-keys.js';
import { environmentOptions, hasEnvironment, type EnvironmentConfig } from '../environment/environment.js';

/** The number of tokens in a batch of a transformer critic, which bounds the memory of its activations. */
const BATCH_TOKENS = 2048;

export type CriticConfig = Partial<EnvironmentConfig> & Pick<AgentConfig, 'seed' | 'critic'>;

/** @param tokenizer of the policy; the built-in critics read its tokens */
export async function makeCritic(config: CriticConfig, device: Device, tokenizer: Tokenizer): Promise<DoubleCritic> {
  const rng = new Rng(hash32(`${config.seed}/critic`));
  return DoubleCritic.create({
    device,
    encoder: await makeEncoder(config, tokenizer, rng),
    rng,
    outputBias: config.critic.initialValue ?? typicalReturnOf(config),
    optimizer: adam,
  });
}

/** Returns a return that is typical of the environment's episodes; 0 without an environment. */
function typicalReturnOf(config: Partial<EnvironmentConfig>): number {
  if (!hasEnvironment(config)) return 0;
  return environmentInfo(config.env.name).critic?.typicalReturn?.(environmentOptions(config)) ?? 0;
}

async function makeEncoder({ env, critic }: CriticConfig, tokenizer: Tokenizer, rng: Rng): Promise<CriticEncoder> {
  const kind = critic.kind === 'auto' ? ((env && environmentInfo(env.name).critic?.kind) ?? 'recency') : critic.kind;
  if (kind === 'line') return new LineEncoder(tokenizer, critic.width);
  if (kind === 'recency') return new RecencyEncoder(tokenizer, critic.width);
  const { stateFeature, maxLength, width, numLayers, numHeads } = critic;
  const common = { stateFeature, maxLength, batchTokens: BATCH_TOKENS };
  if (critic.model !== null) return TransformerEncoder.load(critic.model, { ...common, rng });
  const config = encoderConfigFromJson({
    model_type: 'bert',
    vocab_size: tokenizer.vocabSize,
    hidden_size: width,
    num_hidden_layers: numLayers,
    num_attention_heads: numHeads,
    intermediate_size: 4 * width,
    max_position_embeddings: maxLength,
    pad_token_id: tokenizer.padTokenId,
  });
  return new TransformerEncoder({ ...common, config, tokenizer });
}
