// Describes GPT-NeoX of any size (Pythia), which has attention and feed-forward layer in parallel, one joint projection for
// queries, keys and values, and rotary embedding of a part of each head's columns.
// Source: Black et al. 2022, arXiv:2204.06745, section 2.1.
import { ConfigFields } from '@bowyer/checkpoints';
import { ropeFields } from '../../layers/rotary-frequencies.js';
import type { Family, FamilyConfig } from '../family.js';
import { plainDecoder } from '../plain-decoder.js';

export const gptNeoX: Family = {
  architecture: 'GPTNeoXForCausalLM',
  defaults: {
    vocab_size: 50432,
    hidden_size: 6144,
    intermediate_size: 24576,
    num_hidden_layers: 44,
    num_attention_heads: 64,
    hidden_act: 'gelu',
    rotary_pct: 0.25,
    rope_theta: 10000,
    attention_dropout: 0,
    hidden_dropout: 0,
    max_position_embeddings: 2048,
    initializer_range: 0.02,
    layer_norm_eps: 1e-5,
    tie_word_embeddings: false,
    use_parallel_residual: true,
    attention_bias: true,
  },
  aliases: { rotary_emb_base: 'rope_theta' },
  ignores: () => ['rope_theta', 'partial_rotary_factor'],
  build(config) {
    const { fields } = config;
    const dropout = fields.real('hidden_dropout');
    return plainDecoder(config, {
      names: {
        embedding: 'gpt_neox.embed_in',
        layers: 'gpt_neox.layers',
        finalNorm: 'gpt_neox.final_layer_norm',
        head: 'embed_out',
        attention: 'attention',
        joint: 'query_key_value',
        output: 'dense',
        up: 'dense_h_to_4h',
        down: 'dense_4h_to_h',
      },
      norm: { kind: 'layer', epsilon: fields.real('layer_norm_eps') },
      rotary: config.rotary({ share: rotaryShare(config) }),
      attention: () => ({ projections: 'heads', bias: fields.flag('attention_bias') }),
      feedForward: { kind: 'plain', bias: true },
      block: { parallel: fields.flag('use_parallel_residual'), dropout },
      embedding: { dropout },
    });
  },
};

/** Reads which share of a head's columns has rotary embedding; newer files have the field in rope_parameters. */
export function rotaryShare({ json, fields }: FamilyConfig): number {
  const { name, scaling } = ropeFields('gpt_neox', json);
  if (!('partial_rotary_factor' in scaling)) return fields.real('rotary_pct');
  return new ConfigFields('gpt_neox', scaling, {}, `${name}.`).real('partial_rotary_factor');
}
