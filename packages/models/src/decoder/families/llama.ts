// Describes Llama of any version, which is the plain decoder (plain-decoder.ts). Other models have its `model_type` too (SmolLM,
// TinyLlama).
// Source: Touvron et al. 2023, arXiv:2302.13971.
import type { ConfigJson } from '@bowyer/checkpoints';
import type { Family } from '../family.js';
import { plainDecoder } from '../plain-decoder.js';

/** Default values of config.json's fields, which most of Hugging Face's config classes of Llama-like models share. */
export const llamaDefaults: ConfigJson = {
  hidden_size: 4096,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  hidden_act: 'silu',
  initializer_range: 0.02,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: false,
  rope_theta: 10000,
  attention_bias: false,
  attention_dropout: 0,
  mlp_bias: false,
};

export const llama: Family = {
  architecture: 'LlamaForCausalLM',
  defaults: { ...llamaDefaults, vocab_size: 32000, intermediate_size: 11008, max_position_embeddings: 2048 },
  build(config) {
    const { fields } = config;
    const rotary = config.rotary();
    fields.refuse('layer_scale');
    const bias = fields.flag('attention_bias');
    return plainDecoder(config, {
      rotary,
      attention: () => ({ bias }),
      feedForward: { bias: fields.flag('mlp_bias') },
    });
  },
};
