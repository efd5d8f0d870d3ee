// Describes Falcon (1B to 40B, and the instruct models), which has rotary positions or, in the falcon-rw models, linear biases
// (ALiBi). Source: Almazrouei et al. 2023, arXiv:2311.16867.
import type { Family, FamilyConfig } from '../family.js';
import { linearBiases } from '../linear-biases.js';
import { plainDecoder, type BlockNormNames } from '../plain-decoder.js';

export const falcon: Family = {
  architecture: 'FalconForCausalLM',
  defaults: {
    vocab_size: 65024,
    hidden_size: 4544,
    num_hidden_layers: 32,
    num_attention_heads: 71,
    layer_norm_epsilon: 1e-5,
    initializer_range: 0.02,
    hidden_dropout: 0,
    attention_dropout: 0,
    alibi: false,
    new_decoder_architecture: false,
    multi_query: true,
    parallel_attn: true,
    bias: false,
    max_position_embeddings: 2048,
    rope_theta: 10000,
    hidden_act: 'gelu',
    tie_word_embeddings: true,
  },
  aliases: { activation: 'hidden_act', n_embed: 'hidden_size' },
  // Configs of the first release state the width as n_embed, which takes precedence over hidden_size.
  ignores: ({ n_embed = null }) => ['hidden_act', ...(n_embed === null ? [] : ['hidden_size'])],
  keyValueHeads(fields) {
    if (fields.flag('new_decoder_architecture'))
      return fields.value('num_kv_heads') === undefined ? undefined : fields.count('num_kv_heads');
    return fields.flag('multi_query') ? 1 : undefined;
  },
  build(config) {
    const { fields } = config;
    const { heads, headSize } = config.sizes;
    const contextLength = fields.count('max_position_embeddings');
    // Falcon adds ALiBi's biases before it scales the scores by 1 / √headSize, so that the biases are scaled too.
    const positionBiases = fields.flag('alibi')
      ? linearBiases(heads, contextLength, { factor: 1 / Math.sqrt(headSize), isBfloat16: true })
      : undefined;
    const bias = fields.flag('bias');
    const inner =
      fields.value('ffn_hidden_size') === undefined ? 4 * config.sizes.width : fields.count('ffn_hidden_size');
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
      norms: normsOf(config),
      rotary: positionBiases ? null : config.rotary(),
      attention: () => ({ projections: 'heads', bias, positionBiases }),
      feedForward: { kind: 'plain', bias, inner },
      block: { parallel: isParallel(config), dropout: fields.real('hidden_dropout') },
    });
  },
};

/** Whether attention and feed-forward layer are parallel: always in the new decoder architecture, `parallel_attn` in the old. */
const isParallel = ({ fields }: FamilyConfig) =>
  fields.flag('new_decoder_architecture') || fields.flag('parallel_attn');

function normsOf(config: FamilyConfig): BlockNormNames {
  const { fields } = config;
  if (!isParallel(config)) return { mixerInput: 'input_layernorm', feedForwardInput: 'post_attention_layernorm' };
  const count = fields.value('num_ln_in_parallel_attn') === undefined ? 2 : fields.count('num_ln_in_parallel_attn');
  if (fields.flag('new_decoder_architecture') && count !== 1)
    return { mixerInput: 'ln_attn', feedForwardInput: 'ln_mlp' };
  return { mixerInput: 'input_layernorm' };
}
