// Describes GLM-4, which has interleaved rotary embedding of half of a head's columns. It exists in two variants: glm (9B of
// 2024) and glm4 (2025, with norms of outputs).
// Source: Team GLM 2024, arXiv:2406.12793.
import type { ConfigJson } from '@bowyer/checkpoints';
import type { Family, FamilyConfig } from '../family.js';
import { plainDecoder, type BlockNormNames } from '../plain-decoder.js';

const defaults: ConfigJson = {
  vocab_size: 151552,
  hidden_size: 4096,
  intermediate_size: 13696,
  num_hidden_layers: 40,
  num_attention_heads: 32,
  num_key_value_heads: 2,
  head_dim: 128,
  hidden_act: 'silu',
  attention_dropout: 0,
  max_position_embeddings: 131072,
  initializer_range: 0.02,
  rms_norm_eps: 1.5625e-7,
  tie_word_embeddings: false,
  attention_bias: true,
  partial_rotary_factor: 0.5,
  rope_theta: 10000,
};

function build(config: FamilyConfig, norms?: BlockNormNames) {
  const bias = config.fields.flag('attention_bias');
  return plainDecoder(config, {
    norms,
    rotary: config.rotary({ share: 'partial_rotary_factor', interleaved: true }),
    attention: () => ({ bias, outputBias: false }),
    feedForward: { kind: 'joint' },
  });
}

export const glm: Family = { architecture: 'GlmForCausalLM', defaults, build: (config) => build(config) };

export const glm4: Family = {
  architecture: 'Glm4ForCausalLM',
  defaults,
  build: (config) =>
    build(config, {
      mixerInput: 'input_layernorm',
      mixerOutput: 'post_self_attn_layernorm',
      feedForwardInput: 'post_attention_layernorm',
      feedForwardOutput: 'post_mlp_layernorm',
    }),
};
