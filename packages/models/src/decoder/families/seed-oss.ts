// Describes Seed-OSS, which is Llama with biases of queries, keys and values. Source: ByteDance Seed Team 2025, "Seed-OSS
// open-source models".
import type { Family } from '../family.js';
import { plainDecoder } from '../plain-decoder.js';
import { llamaDefaults } from './llama.js';

export const seedOss: Family = {
  architecture: 'SeedOssForCausalLM',
  defaults: {
    ...llamaDefaults,
    vocab_size: 155136,
    intermediate_size: 27648,
    num_hidden_layers: 64,
    num_attention_heads: 80,
    num_key_value_heads: 8,
    head_dim: 128,
    max_position_embeddings: 524288,
    attention_bias: true,
    attention_out_bias: false,
    attention_dropout: 0.1,
    residual_dropout: 0.1,
  },
  build(config) {
    const { fields } = config;
    const [bias, outputBias] = [fields.flag('attention_bias'), fields.flag('attention_out_bias')];
    return plainDecoder(config, {
      attention: () => ({ bias, outputBias }),
      feedForward: { bias: fields.flag('mlp_bias') },
      block: { dropout: fields.real('residual_dropout') },
    });
  },
};
