// Describes GPT-J, in which attention and feed-forward layer read the same norm and the first columns of each head have
// interleaved rotary embedding.
// Source: Wang and Komatsuzaki 2021, "GPT-J-6B".
import type { Family } from '../family.js';
import { plainDecoder } from '../plain-decoder.js';
import { gpt2Family } from './gpt2.js';

export const gptJ: Family = {
  architecture: 'GPTJForCausalLM',
  defaults: {
    vocab_size: 50400,
    max_position_embeddings: 2048,
    hidden_size: 4096,
    num_hidden_layers: 28,
    num_attention_heads: 16,
    rotary_dim: 64,
    hidden_act: 'gelu_new',
    resid_pdrop: 0,
    embd_pdrop: 0,
    attn_pdrop: 0,
    layer_norm_epsilon: 1e-5,
    initializer_range: 0.02,
    tie_word_embeddings: false,
  },
  aliases: gpt2Family.aliases,
  // `rope_theta` is ignored, since GPT-J's rotary base is always 10,000.
  ignores: () => [
    'hidden_act',
    'head_dim',
    'num_key_value_heads',
    'rope_theta',
    'rope_scaling',
    'rope_parameters',
    'partial_rotary_factor',
  ],
  build(config) {
    const { fields, sizes } = config;
    const turning = fields.value('rotary_dim') === undefined ? sizes.headSize : fields.count('rotary_dim');
    const inner = fields.value('n_inner') === undefined ? 4 * sizes.width : fields.count('n_inner');
    return plainDecoder(config, {
      names: {
        embedding: 'transformer.wte',
        layers: 'transformer.h',
        finalNorm: 'transformer.ln_f',
        attention: 'attn',
        output: 'out_proj',
        up: 'fc_in',
        down: 'fc_out',
      },
      norm: { kind: 'layer', epsilon: fields.real('layer_norm_epsilon') },
      norms: { mixerInput: 'ln_1' },
      rotary: config.rotary({ share: turning / sizes.headSize, interleaved: true }),
      attention: () => ({ dropout: fields.real('attn_pdrop') }),
      feedForward: { kind: 'plain', bias: true, inner },
      block: { parallel: true, dropout: fields.real('resid_pdrop') },
      embedding: { dropout: fields.real('embd_pdrop') },
      head: { bias: true },
    });
  },
};
