// Describes Qwen 2 and 2.5, which are Llama with biases of queries, keys and values, and Qwen 3, which is Llama with norms of
// each head's queries and keys.
// Source: Yang et al. 2024, arXiv:2407.10671; Yang et al. 2025, arXiv:2505.09388.
import type { ConfigJson } from '@bowyer/checkpoints';
import type { Family, FamilyConfig, LayerKind } from '../family.js';
import { plainDecoder, type AttentionDeparture } from '../plain-decoder.js';
import { llamaDefaults } from './llama.js';

const defaults: ConfigJson = {
  ...llamaDefaults,
  vocab_size: 151936,
  intermediate_size: 22016,
  num_key_value_heads: 32,
  max_position_embeddings: 32768,
  use_sliding_window: false,
  sliding_window: 4096,
  max_window_layers: 28,
};

/** If use_sliding_window is true, layers from index max_window_layers on have a sliding window. */
export function qwenKinds(config: FamilyConfig): LayerKind[] {
  const first = config.usesWindow ? config.fields.real('max_window_layers') : Infinity;
  return config.layerKinds((layer) => layer >= first);
}

function build(config: FamilyConfig, attention: AttentionDeparture) {
  const { fields } = config;
  fields.refuse('mlp_bias', false);
  const rotary = config.rotary();
  const kinds = qwenKinds(config);
  if (!config.usesWindow && kinds.includes('sliding_attention'))
    throw fields.error('layer_types', 'has sliding_attention, but sliding_window is not set');
  const windows = config.windows(kinds, rotary.contextLength);
  return plainDecoder(config, {
    rotary,
    attention: (layer) => ({ ...attention, window: windows[layer] }),
  });
}

export const qwen2: Family = {
  architecture: 'Qwen2ForCausalLM',
  defaults,
  build(config) {
    config.fields.refuse('attention_bias', true, false);
    return build(config, { bias: true, outputBias: false });
  },
};

export const qwen3: Family = {
  architecture: 'Qwen3ForCausalLM',
  defaults: { ...defaults, head_dim: 128 },
  build: (config) => build(config, { bias: config.fields.flag('attention_bias'), queryKeyNorm: 'head' }),
};
