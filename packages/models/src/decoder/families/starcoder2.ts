// Describes StarCoder 2, which is Mistral with layer norms, biases, and a feed-forward layer without a gate.
// Source: Lozhkov et al. 2024, arXiv:2402.19173.
import type { Family } from '../family.js';
import { plainDecoder } from '../plain-decoder.js';

export const starcoder2: Family = {
  architecture: 'Starcoder2ForCausalLM',
  defaults: {
    vocab_size: 49152,
    hidden_size: 3072,
    intermediate_size: 12288,
    num_hidden_layers: 30,
    num_attention_heads: 24,
    num_key_value_heads: 2,
    hidden_act: 'gelu_pytorch_tanh',
    max_position_embeddings: 4096,
    initializer_range: 0.018042,
    norm_epsilon: 1e-5,
    rope_theta: 10000,
    attention_dropout: 0,
    residual_dropout: 0,
    embedding_dropout: 0,
    use_bias: true,
    tie_word_embeddings: true,
  },
  build(config) {
    const { fields } = config;
    const rotary = config.rotary();
    const kinds = config.layerKinds(() => config.hasWindow);
    const windows = config.windows(kinds, rotary.contextLength);
    const bias = fields.flag('use_bias');
    return plainDecoder(config, {
      names: { up: 'c_fc', down: 'c_proj' },
      norm: { kind: 'layer', epsilon: fields.real('norm_epsilon') },
      rotary,
      attention: (layer) => ({ bias, window: windows[layer] }),
      feedForward: { kind: 'plain', bias },
      block: { dropout: fields.real('residual_dropout') },
      embedding: { dropout: fields.real('embedding_dropout') },
    });
  },
};
