// Describes DeepSeek V3 and R1, which have multi-head latent attention, and experts that are selected by sigmoid scores within
// groups.
// Source: DeepSeek-AI 2024, arXiv:2412.19437.
import { ConfigFields } from '@bowyer/checkpoints';
import { activationNames } from '../../layers/activations.js';
import { ropeFields, rotaryFrequencies } from '../../layers/rotary-frequencies.js';
import { expertMixture, gatedExperts } from '../expert-mixture.js';
import type { Family, FamilyConfig } from '../family.js';
import { gatedFeedForward } from '../feed-forward.js';
import { latentAttention, latentHeadSize } from '../latent-attention.js';
import { linear, type Part } from '../parts.js';
import { plainDecoder } from '../plain-decoder.js';
import { llamaDefaults } from './llama.js';

export const deepseekV3: Family = {
  architecture: 'DeepseekV3ForCausalLM',
  aliases: { num_local_experts: 'n_routed_experts' },
  defaults: {
    ...llamaDefaults,
    vocab_size: 129280,
    hidden_size: 7168,
    intermediate_size: 18432,
    moe_intermediate_size: 2048,
    num_hidden_layers: 61,
    num_attention_heads: 128,
    num_key_value_heads: 128,
    n_shared_experts: 1,
    n_routed_experts: 256,
    routed_scaling_factor: 2.5,
    kv_lora_rank: 512,
    q_lora_rank: 1536,
    qk_rope_head_dim: 64,
    v_head_dim: 128,
    qk_nope_head_dim: 128,
    n_group: 8,
    topk_group: 4,
    num_experts_per_tok: 8,
    first_k_dense_replace: 3,
    norm_topk_prob: true,
    max_position_embeddings: 4096,
    rope_interleave: true,
  },
  keyValueHeads: () => undefined,
  build(config) {
    const { fields, sizes, type, json } = config;
    const { heads, width } = sizes;
    const headSizes = {
      plainSize: fields.count('qk_nope_head_dim'),
      rotarySize: fields.count('qk_rope_head_dim'),
      valueSize: fields.count('v_head_dim'),
    };
    fields.refuse('partial_rotary_factor', 1);
    const frequencies = rotaryFrequencies(type, json, {
      rotaryDims: headSizes.rotarySize,
      defaultBase: 10000,
      trainedLength: fields.count('max_position_embeddings'),
    });
    const rotary = fields.flag('rope_interleave') ? { ...frequencies, interleaved: true } : frequencies;
    const architecture = plainDecoder(config, {
      rotary,
      mixer: (layer) =>
        latentAttention({
          path: `model.layers.${layer}.self_attn`,
          width,
          heads,
          rotary,
          ...headSizes,
          queryRank: fields.value('q_lora_rank') === undefined ? undefined : fields.count('q_lora_rank'),
          keyValueRank: fields.count('kv_lora_rank'),
          bias: fields.flag('attention_bias'),
          standardDeviation: fields.real('initializer_range'),
          form: { dropout: fields.real('attention_dropout'), scale: scoreScale(config, headSizes) },
        }),
      feedForward: (layer) => (layer < config.countFrom0('first_k_dense_replace') ? {} : mixture(config, layer)),
    });
    return { ...architecture, keyValueHeads: heads, headSize: latentHeadSize(headSizes) };
  },
};

/** Computes the factor of the attention scores: 1 / √(size of a head's query), times the square of YaRN's attention factor. */
function scoreScale(
  { type, json }: FamilyConfig,
  { plainSize, rotarySize }: { plainSize: number; rotarySize: number },
): number {
  const plain = 1 / Math.sqrt(plainSize + rotarySize);
  const { name, scaling } = ropeFields(type, json);
  const fields = new ConfigFields(type, scaling, { mscale_all_dim: 0 }, `${name}.`);
  const isPlain = (scaling.rope_type ?? scaling.type ?? 'default') === 'default';
  const all = isPlain ? 0 : fields.real('mscale_all_dim');
  if (all === 0) return plain;
  const factor = fields.real('factor');
  const magnitude = factor <= 1 ? 1 : 0.1 * all * Math.log(factor) + 1;
  return plain * magnitude * magnitude;
}

function mixture({ fields, sizes: { width } }: FamilyConfig, layer: number): Part {
  const path = `model.layers.${layer}.mlp`;
  const inner = fields.count('moe_intermediate_size');
  const activation = fields.choice('hidden_act', activationNames);
  const standardDeviation = fields.real('initializer_range');
  const shared = (name: string, out: number, input: number) =>
    linear(`${path}.shared_experts.${name}`, out, input, { bias: false, standardDeviation });
  const sharedInner = inner * fields.count('n_shared_experts');
  return expertMixture({
    width,
    standardDeviation,
    router: {
      weight: `${path}.gate.weight`,
      choiceBias: `${path}.gate.e_score_correction_bias`,
      scores: 'sigmoid',
      choices: fields.count('num_experts_per_tok'),
      groups: { count: fields.count('n_group'), chosen: fields.count('topk_group') },
      normalize: fields.flag('norm_topk_prob') ? { epsilon: 1e-20 } : undefined,
      scale: fields.real('routed_scaling_factor'),
    },
    experts: gatedExperts({
      path: `${path}.experts`,
      count: fields.count('n_routed_experts'),
      width,
      inner,
      activation,
      standardDeviation,
    }),
    shared: gatedFeedForward(
      activation,
      [shared('gate_proj', sharedInner, width), shared('up_proj', sharedInner, width)],
      shared('down_proj', width, sharedInner),
    ),
  });
}
