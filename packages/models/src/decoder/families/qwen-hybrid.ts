// Describes Qwen 3 Next and the text model of Qwen 3.5, which have Gated DeltaNet in most layers, and gated attention with rotary
// embedding of a part of each head's columns in the other layers.
// Source: Qwen Team 2025, "Qwen3-Next"; Qiu et al. 2025, arXiv:2505.06708 (the gate of attention).
import type { ConfigJson } from '@bowyer/checkpoints';
import type { Value } from '@bowyer/graph';
import { activationNames } from '../../layers/activations.js';
import type { Family, FamilyConfig } from '../family.js';
import { gatedFeedForward } from '../feed-forward.js';
import { gatedDeltaNet, type GatedDeltaNet } from '../gated-delta-net.js';
import { linear, norm, type Layer, type Part, type Place } from '../parts.js';
import { plainDecoder, type Departures } from '../plain-decoder.js';
import { selfAttention } from '../self-attention.js';
import type { ForwardScope } from '../../architecture/architecture.js';
import { hasExperts, qwenMixture } from './experts.js';
import { llamaDefaults } from './llama.js';

const defaults: ConfigJson = {
  ...llamaDefaults,
  max_position_embeddings: 32768,
  head_dim: 256,
  partial_rotary_factor: 0.25,
  linear_conv_kernel_dim: 4,
  linear_key_head_dim: 128,
  linear_value_head_dim: 128,
  linear_num_key_heads: 16,
  linear_num_value_heads: 32,
  full_attention_interval: 4,
};

function build(
  config: FamilyConfig,
  projections: GatedDeltaNet['projections'],
  feedForward?: Departures['feedForward'],
) {
  const { fields } = config;
  const every = fields.count('full_attention_interval');
  const kinds = config.mixerKinds(['linear_attention', 'full_attention'], (layer) =>
    (layer + 1) % every === 0 ? 'full_attention' : 'linear_attention',
  );
  const rotary = config.rotary({ share: 'partial_rotary_factor' });
  return plainDecoder(config, {
    norm: { kind: 'rms-offset' },
    rotary,
    feedForward,
    mixer(layer) {
      const path = `model.layers.${layer}`;
      if (kinds[layer] === 'full_attention') return gatedAttention(config, `${path}.self_attn`, rotary);
      return gatedDeltaNet({
        path: `${path}.linear_attn`,
        width: config.sizes.width,
        keyHeads: fields.count('linear_num_key_heads'),
        valueHeads: fields.multiple('linear_num_value_heads', 'linear_num_key_heads'),
        keySize: fields.count('linear_key_head_dim'),
        valueSize: fields.count('linear_value_head_dim'),
        convolutionTokens: fields.count('linear_conv_kernel_dim'),
        activation: fields.choice('hidden_act', activationNames),
        epsilon: fields.real('rms_norm_eps'),
        standardDeviation: fields.real('initializer_range'),
        projections,
      });
    },
  });
}

/** Builds attention whose result a sigmoid gate multiplies; the query projection outputs each head's gate next to its query. */
function gatedAttention(
  { fields, sizes }: FamilyConfig,
  path: string,
  rotary: NonNullable<Departures['rotary']>,
): Part {
  const { width, heads, keyValueHeads, headSize } = sizes;
  const options = { bias: fields.flag('attention_bias'), standardDeviation: fields.real('initializer_range') };
  const joint = linear(`${path}.q_proj`, 2 * heads * headSize, width, options);
  const headNorm = (name: string) =>
    norm(`${path}.${name}`, headSize, { kind: 'rms-offset', epsilon: fields.real('rms_norm_eps') });
  const parts = (g: ForwardScope['g'], both: Value) =>
    g
      .split(g.reshape(both, [both.dim(0), heads, 2 * headSize]), 2, 2)
      .map((part) => g.reshape(part, [both.dim(0), heads * headSize]));
  const attentionOver = (query: Layer, gate?: Value) =>
    selfAttention({
      heads,
      keyValueHeads,
      headSize,
      rotary,
      form: { dropout: fields.real('attention_dropout') },
      projections: {
        kind: 'separate',
        query,
        key: linear(`${path}.k_proj`, keyValueHeads * headSize, width, options),
        value: linear(`${path}.v_proj`, keyValueHeads * headSize, width, options),
      },
      output: linear(`${path}.o_proj`, width, heads * headSize, options),
      norms: { over: 'head', query: headNorm('q_norm'), key: headNorm('k_norm') },
      gate: gate && ((scope, mixed) => scope.g.mul(mixed, scope.g.sigmoid(gate))),
    });
  return {
    ...attentionOver(joint),
    apply(scope: ForwardScope, x: Value, place: Place) {
      const [query, gate] = parts(scope.g, joint.apply(scope, x));
      return attentionOver({ parameters: [], apply: () => query }, gate).apply(scope, x, place);
    },
  };
}

export const qwen35: Family = {
  architecture: 'Qwen3_5ForCausalLM',
  defaults: {
    ...defaults,
    vocab_size: 248320,
    intermediate_size: 12288,
    num_attention_heads: 16,
    num_key_value_heads: 4,
  },
  build: (config) => build(config, 'separate'),
};

const expertDefaults: ConfigJson = {
  decoder_sparse_step: 1,
  moe_intermediate_size: 512,
  shared_expert_intermediate_size: 512,
  norm_topk_prob: true,
};

/** Builds a shared expert, which computes every row besides the selected ones, with a sigmoid gate of its output. */
function sharedExpert({ fields, sizes: { width } }: FamilyConfig, path: string): Part {
  const inner = fields.count('shared_expert_intermediate_size');
  const options = { bias: false, standardDeviation: fields.real('initializer_range') };
  const layer = (name: string, out: number, input: number) => linear(`${path}.${name}`, out, input, options);
  const expert = gatedFeedForward(
    fields.choice('hidden_act', activationNames),
    [layer('shared_expert.gate_proj', inner, width), layer('shared_expert.up_proj', inner, width)],
    layer('shared_expert.down_proj', width, inner),
  );
  const gate = layer('shared_expert_gate', 1, width);
  return {
    parameters: [...expert.parameters, ...gate.parameters],
    apply: (scope, x, place) => scope.g.mul(scope.g.sigmoid(gate.apply(scope, x)), expert.apply(scope, x, place)),
  };
}

export const qwen35Moe: Family = {
  architecture: 'Qwen3_5MoeForCausalLM',
  defaults: {
    ...defaults,
    ...expertDefaults,
    vocab_size: 248320,
    hidden_size: 2048,
    num_hidden_layers: 40,
    num_attention_heads: 16,
    num_key_value_heads: 2,
    num_experts_per_tok: 8,
    num_experts: 256,
  },
  build: (config) =>
    build(config, 'separate', (layer) => qwenMixture(config, layer, sharedExpert(config, `model.layers.${layer}.mlp`))),
};

export const qwen3Next: Family = {
  architecture: 'Qwen3NextForCausalLM',
  defaults: {
    ...defaults,
    ...expertDefaults,
    vocab_size: 151936,
    hidden_size: 2048,
    intermediate_size: 5632,
    num_hidden_layers: 48,
    num_attention_heads: 16,
    num_key_value_heads: 2,
    num_experts_per_tok: 10,
    num_experts: 512,
  },
  build: (config) =>
    build(config, 'by-key-head', (layer) =>
      hasExperts(config, layer) ? qwenMixture(config, layer, sharedExpert(config, `model.layers.${layer}.mlp`)) : {},
    ),
};
