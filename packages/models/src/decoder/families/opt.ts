// Describes OPT (all sizes but 350M), which is GPT-2 with ReLU and separate projections. Source: Zhang et al. 2022,
// arXiv:2205.01068.
import type { Family } from '../family.js';
import { plainDecoder } from '../plain-decoder.js';

/** The row of the position table that belongs to position 0; OPT does not use the rows before it. */
const OFFSET = 2;

export const opt: Family = {
  architecture: 'OPTForCausalLM',
  defaults: {
    vocab_size: 50272,
    hidden_size: 768,
    num_hidden_layers: 12,
    intermediate_size: 3072,
    max_position_embeddings: 2048,
    dropout: 0.1,
    attention_dropout: 0,
    num_attention_heads: 12,
    hidden_act: 'relu',
    initializer_range: 0.02,
    enable_bias: true,
    tie_word_embeddings: true,
  },
  aliases: { ffn_dim: 'intermediate_size', activation_function: 'hidden_act', init_std: 'initializer_range' },
  ignores: () => ['hidden_act', 'intermediate_size', 'head_dim', 'num_key_value_heads'],
  build(config) {
    const { fields, sizes } = config;
    fields.refuse('do_layer_norm_before', true);
    fields.refuse('_remove_final_layer_norm', false);
    fields.refuse('layer_norm_elementwise_affine', true);
    fields.refuse('word_embed_proj_dim', sizes.width);
    fields.refuse('layerdrop', 0);
    const [bias, contextLength] = [fields.flag('enable_bias'), fields.count('max_position_embeddings')];
    const positions = { weight: 'model.decoder.embed_positions.weight', rows: contextLength + OFFSET, offset: OFFSET };
    return plainDecoder(config, {
      names: {
        embedding: 'model.decoder.embed_tokens',
        layers: 'model.decoder.layers',
        finalNorm: 'model.decoder.final_layer_norm',
        output: 'out_proj',
        feedForward: '',
        up: 'fc1',
        down: 'fc2',
      },
      norm: { kind: 'layer', epsilon: 1e-5 },
      norms: { mixerInput: 'self_attn_layer_norm', feedForwardInput: 'final_layer_norm' },
      rotary: null,
      attention: () => ({ bias }),
      feedForward: { kind: 'plain', bias },
      block: { dropout: fields.real('dropout') },
      embedding: { positions },
    });
  },
};
