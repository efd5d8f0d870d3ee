// Describes BLOOM, which is GPT-2 with ALiBi instead of learned positions, and with a norm of the embeddings.
// Source: BigScience Workshop 2022, arXiv:2211.05100.
import type { Family } from '../family.js';
import { linearBiases } from '../linear-biases.js';
import { plainDecoder } from '../plain-decoder.js';

export const bloom: Family = {
  architecture: 'BloomForCausalLM',
  defaults: {
    vocab_size: 250880,
    hidden_size: 64,
    num_hidden_layers: 2,
    num_attention_heads: 8,
    hidden_act: 'gelu_pytorch_tanh',
    layer_norm_epsilon: 1e-5,
    initializer_range: 0.02,
    hidden_dropout: 0,
    attention_dropout: 0,
    seq_length: 2048,
    tie_word_embeddings: true,
  },
  aliases: { n_layer: 'num_hidden_layers', n_head: 'num_attention_heads', n_embed: 'hidden_size' },
  ignores: () => ['hidden_act', 'head_dim', 'num_key_value_heads'],
  build(config) {
    const { fields, sizes } = config;
    fields.refuse('apply_residual_connection_post_layernorm', false);
    const contextLength = fields.count('seq_length');
    const positionBiases = linearBiases(sizes.heads, contextLength);
    return plainDecoder(config, {
      names: {
        embedding: 'transformer.word_embeddings',
        layers: 'transformer.h',
        finalNorm: 'transformer.ln_f',
        attention: 'self_attention',
        joint: 'query_key_value',
        output: 'dense',
        up: 'dense_h_to_4h',
        down: 'dense_4h_to_h',
      },
      norm: { kind: 'layer', epsilon: fields.real('layer_norm_epsilon') },
      rotary: null,
      contextLength,
      attention: () => ({ projections: 'heads', bias: true, positionBiases }),
      feedForward: { kind: 'plain', bias: true, inner: 4 * sizes.width },
      block: { dropout: fields.real('hidden_dropout') },
      embedding: { norm: 'transformer.word_embeddings_layernorm' },
    });
  },
};
