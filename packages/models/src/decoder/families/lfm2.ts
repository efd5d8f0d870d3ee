// Describes LFM2 and LFM2-MoE, which have short convolutions in most layers and attention in the other layers. Source: Liquid AI
// 2025, arXiv:2511.23404.
import type { ConfigJson } from '@bowyer/checkpoints';
import { expertMixture, gatedExperts } from '../expert-mixture.js';
import type { Family, FamilyConfig } from '../family.js';
import { norm } from '../parts.js';
import { plainDecoder, type Departures } from '../plain-decoder.js';
import { shortConvolutionMixer } from '../short-convolution-mixer.js';

const defaults: ConfigJson = {
  vocab_size: 65536,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  max_position_embeddings: 128000,
  rope_theta: 1e6,
  initializer_range: 0.02,
  norm_eps: 1e-5,
  tie_word_embeddings: true,
  conv_bias: false,
  conv_L_cache: 3,
};

function build(config: FamilyConfig, kinds: readonly string[], feedForward: Departures['feedForward']) {
  const { fields, sizes } = config;
  const epsilon = fields.real('norm_eps');
  const standardDeviation = fields.real('initializer_range');
  const headNorm = (path: string) => norm(path, sizes.headSize, { kind: 'rms', epsilon });
  return plainDecoder(config, {
    names: {
      finalNorm: 'model.embedding_norm',
      output: 'out_proj',
      feedForward: 'feed_forward',
      gate: 'w1',
      up: 'w3',
      down: 'w2',
    },
    norm: { epsilon },
    norms: { mixerInput: 'operator_norm', feedForwardInput: 'ffn_norm' },
    attention: () => ({
      queryKeyNorm: (path) => ({
        over: 'head',
        query: headNorm(`${path}.q_layernorm`),
        key: headNorm(`${path}.k_layernorm`),
      }),
    }),
    mixer: (layer) =>
      kinds[layer] === 'conv'
        ? shortConvolutionMixer({
            path: `model.layers.${layer}.conv`,
            width: sizes.width,
            tokens: fields.count('conv_L_cache'),
            bias: fields.flag('conv_bias'),
            standardDeviation,
          })
        : undefined,
    feedForward,
  });
}

/** Names of two fields in files of the first release; transformers prefers these where a file has both names of a field. */
const aliases = { tie_embedding: 'tie_word_embeddings', block_ff_dim: 'intermediate_size' };

export const lfm2: Family = {
  architecture: 'Lfm2ForCausalLM',
  aliases,
  defaults: {
    ...defaults,
    hidden_size: 2560,
    intermediate_size: 12288,
    block_multiple_of: 256,
    block_ffn_dim_multiplier: 1,
    block_auto_adjust_ff_dim: true,
  },
  build(config) {
    return build(config, lfm2Kinds(config), { activation: 'silu', inner: innerSize(config) });
  },
};

export function lfm2Kinds(config: FamilyConfig) {
  const attention = config.layerIndices('full_attn_idxs');
  return config.mixerKinds(['conv', 'full_attention'], (layer) =>
    attention === undefined || attention.includes(layer) ? 'full_attention' : 'conv',
  );
}

/**
 * Computes the width of the feed-forward layer: `intermediate_size` or, with `block_auto_adjust_ff_dim`, two thirds of it, which
 * `block_ffn_dim_multiplier` multiplies and `block_multiple_of` rounds up.
 */
function innerSize({ fields }: FamilyConfig): number {
  const size = fields.count('intermediate_size');
  if (!fields.flag('block_auto_adjust_ff_dim')) return size;
  const adjusted = Math.trunc((2 * size) / 3);
  if (fields.value('block_ffn_dim_multiplier') === undefined) return adjusted;
  const multiple = fields.count('block_multiple_of');
  return multiple * Math.ceil(Math.trunc(fields.real('block_ffn_dim_multiplier') * adjusted) / multiple);
}

export const lfm2Moe: Family = {
  architecture: 'Lfm2MoeForCausalLM',
  aliases: { tie_embedding: 'tie_word_embeddings' },
  defaults: {
    ...defaults,
    hidden_size: 2048,
    intermediate_size: 7168,
    moe_intermediate_size: 1792,
    num_dense_layers: 2,
    num_experts_per_tok: 4,
    num_experts: 32,
    use_expert_bias: true,
    routed_scaling_factor: 1,
    norm_topk_prob: true,
  },
  build(config) {
    const { fields, sizes } = config;
    const standardDeviation = fields.real('initializer_range');
    const kinds = config.mixerKinds(['conv', 'full_attention']);
    return build(config, kinds, (layer) => {
      if (layer < config.countFrom0('num_dense_layers')) return { activation: 'silu' };
      const path = `model.layers.${layer}.feed_forward`;
      return expertMixture({
        width: sizes.width,
        standardDeviation,
        router: {
          weight: `${path}.gate.weight`,
          choiceBias: fields.flag('use_expert_bias') ? `${path}.expert_bias` : undefined,
          scores: 'sigmoid',
          choices: fields.count('num_experts_per_tok'),
          normalize: fields.flag('norm_topk_prob') ? { epsilon: 1e-6 } : undefined,
          scale: fields.real('routed_scaling_factor'),
        },
        experts: gatedExperts({
          path: `${path}.experts`,
          names: { gate: 'w1', up: 'w3', down: 'w2' },
          count: fields.count('num_experts'),
          inner: fields.count('moe_intermediate_size'),
          activation: 'silu',
          width: sizes.width,
          standardDeviation,
        }),
      });
    });
  },
};
