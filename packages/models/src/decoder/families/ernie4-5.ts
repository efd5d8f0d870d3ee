// Describes ERNIE 4.5 (the dense models), which is Llama with interleaved rotary embedding. Source: Baidu 2025, "ERNIE 4.5
// technical report".
import type { Family } from '../family.js';
import { plainDecoder } from '../plain-decoder.js';
import { llamaDefaults } from './llama.js';

export const ernie45: Family = {
  architecture: 'Ernie4_5ForCausalLM',
  defaults: {
    ...llamaDefaults,
    vocab_size: 103424,
    hidden_size: 1024,
    intermediate_size: 3072,
    num_hidden_layers: 18,
    num_attention_heads: 16,
    num_key_value_heads: 2,
    head_dim: 128,
    max_position_embeddings: 131072,
    rms_norm_eps: 1e-5,
    rope_theta: 500_000,
    tie_word_embeddings: true,
    use_bias: false,
  },
  build(config) {
    const bias = config.fields.flag('use_bias');
    return plainDecoder(config, {
      rotary: config.rotary({ interleaved: true }),
      attention: () => ({ bias, dropout: 0 }),
      feedForward: { bias },
    });
  },
};
