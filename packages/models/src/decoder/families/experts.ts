// Describes Qwen 3 MoE, Mixtral and gpt-oss, whose feed-forward layers are mixtures of experts.
// Sources: Yang et al. 2025, arXiv:2505.09388; Jiang et al. 2024, arXiv:2401.04088; OpenAI 2025, arXiv:2508.10925.
import type { ConfigJson } from '@bowyer/checkpoints';
import type { Value } from '@bowyer/graph';
import type { ForwardScope } from '../../architecture/architecture.js';
import type { ParameterSpec } from '../../architecture/parameter-spec.js';
import { activationNames } from '../../layers/activations.js';
import { expertMixture, gatedExperts, type ExpertWeights } from '../expert-mixture.js';
import type { Family, FamilyConfig, LayerKind } from '../family.js';
import type { Part } from '../parts.js';
import { plainDecoder } from '../plain-decoder.js';
import { llamaDefaults } from './llama.js';

/** Returns whether Qwen's config gives a layer experts, not a dense feed-forward layer. */
export function hasExperts(config: FamilyConfig, layer: number): boolean {
  const dense = config.layerIndices('mlp_only_layers') ?? [];
  return !dense.includes(layer) && (layer + 1) % config.fields.count('decoder_sparse_step') === 0;
}

/** Builds Qwen 3's mixture of experts, whose router computes a softmax over all experts and keeps the largest probabilities. */
export function qwenMixture(config: FamilyConfig, layer: number, shared?: Part): Part {
  const { fields, sizes } = config;
  const path = `model.layers.${layer}.mlp`;
  const standardDeviation = fields.real('initializer_range');
  return expertMixture({
    width: sizes.width,
    standardDeviation,
    shared,
    router: {
      weight: `${path}.gate.weight`,
      scores: 'softmax',
      choices: fields.count('num_experts_per_tok'),
      normalize: fields.flag('norm_topk_prob') ? { epsilon: 0 } : undefined,
    },
    experts: gatedExperts({
      path: `${path}.experts`,
      count: fields.count('num_experts'),
      inner: fields.count('moe_intermediate_size'),
      activation: fields.choice('hidden_act', activationNames),
      width: sizes.width,
      standardDeviation,
    }),
  });
}

export const qwen3Moe: Family = {
  architecture: 'Qwen3MoeForCausalLM',
  aliases: { num_local_experts: 'num_experts' }, // the name that transformers 5 writes
  defaults: {
    ...llamaDefaults,
    vocab_size: 151936,
    hidden_size: 2048,
    intermediate_size: 6144,
    num_hidden_layers: 24,
    num_key_value_heads: 4,
    max_position_embeddings: 32768,
    use_sliding_window: false,
    sliding_window: 4096,
    decoder_sparse_step: 1,
    moe_intermediate_size: 768,
    num_experts_per_tok: 8,
    num_experts: 128,
    norm_topk_prob: false,
  },
  build(config) {
    const { fields } = config;
    const rotary = config.rotary();
    const kind: LayerKind = config.usesWindow ? 'sliding_attention' : 'full_attention';
    const windows = config.windows(new Array<LayerKind>(config.sizes.layers).fill(kind), rotary.contextLength);
    return plainDecoder(config, {
      rotary,
      attention: (layer) => ({ bias: fields.flag('attention_bias'), queryKeyNorm: 'head', window: windows[layer] }),
      feedForward: (layer) => (hasExperts(config, layer) ? qwenMixture(config, layer) : {}),
    });
  },
};

export const mixtral: Family = {
  architecture: 'MixtralForCausalLM',
  aliases: { num_experts: 'num_local_experts' },
  defaults: {
    ...llamaDefaults,
    vocab_size: 32000,
    intermediate_size: 14336,
    num_key_value_heads: 8,
    max_position_embeddings: 131072,
    rope_theta: 1e6,
    rms_norm_eps: 1e-5,
    num_experts_per_tok: 2,
    num_local_experts: 8,
  },
  build(config) {
    const { fields, sizes } = config;
    fields.refuse('router_jitter_noise', 0);
    const rotary = config.rotary();
    const kind: LayerKind = config.hasWindow ? 'sliding_attention' : 'full_attention';
    const windows = config.windows(new Array<LayerKind>(sizes.layers).fill(kind), rotary.contextLength);
    const standardDeviation = fields.real('initializer_range');
    return plainDecoder(config, {
      rotary,
      attention: (layer) => ({ window: windows[layer] }),
      feedForward: (layer) =>
        expertMixture({
          width: sizes.width,
          standardDeviation,
          router: {
            weight: `model.layers.${layer}.block_sparse_moe.gate.weight`,
            alias: `model.layers.${layer}.mlp.gate.weight`,
            scores: 'softmax',
            choices: fields.count('num_experts_per_tok'),
            normalize: { epsilon: 0 },
          },
          experts: gatedExperts({
            path: `model.layers.${layer}.block_sparse_moe.experts`,
            jointPath: `model.layers.${layer}.mlp.experts`,
            names: { gate: 'w1', up: 'w3', down: 'w2' },
            count: fields.count('num_local_experts'),
            inner: fields.count('intermediate_size'),
            activation: fields.choice('hidden_act', activationNames),
            width: sizes.width,
            standardDeviation,
          }),
        }),
    });
  },
};

/** The default rope parameters of Hugging Face's GptOssConfig. */
export const gptOssRope: ConfigJson = {
  rope_type: 'yarn',
  rope_theta: 150000,
  factor: 32,
  beta_fast: 32,
  beta_slow: 1,
  truncate: false,
  original_max_position_embeddings: 4096,
};

export const gptOss: Family = {
  architecture: 'GptOssForCausalLM',
  aliases: { num_experts: 'num_local_experts' },
  quantizations: ['mxfp4'],
  defaults: {
    ...llamaDefaults,
    vocab_size: 201088,
    hidden_size: 2880,
    intermediate_size: 2880,
    num_hidden_layers: 36,
    num_attention_heads: 64,
    num_key_value_heads: 8,
    head_dim: 64,
    sliding_window: 128,
    rope_theta: 150000,
    max_position_embeddings: 131072,
    rms_norm_eps: 1e-5,
    attention_bias: true,
    num_local_experts: 128,
    num_experts_per_tok: 4,
  },
  build(config) {
    const { fields, json, sizes } = config;
    const hasRope = json.rope_parameters ?? json.rope_scaling;
    const rotary = config.rotary(hasRope ? {} : { json: { ...json, rope_parameters: gptOssRope } });
    const kinds = config.layerKinds((layer) => layer % 2 === 0);
    const windows = config.windows(kinds, rotary.contextLength);
    const bias = fields.flag('attention_bias');
    return plainDecoder(config, {
      rotary,
      attention: (layer) => ({ bias, sinks: 'sinks', window: windows[layer] }),
      feedForward: (layer) =>
        expertMixture({
          width: sizes.width,
          standardDeviation: fields.real('initializer_range'),
          router: {
            weight: `model.layers.${layer}.mlp.router.weight`,
            bias: `model.layers.${layer}.mlp.router.bias`,
            scores: 'softmax-of-chosen',
            choices: fields.count('num_experts_per_tok'),
          },
          experts: clampedExperts(config, `model.layers.${layer}.mlp.experts`),
        }),
    });
  },
};

/** The bound to which the outputs of gate and up are clamped, and the factor α inside the sigmoid. */
const [LIMIT, ALPHA] = [7, 1.702];

/**
 * Builds gpt-oss's experts down((up + 1) · gate · σ(α gate)) with biases, where gate and up are clamped. One projection computes
 * both, whose outputs alternate between gate and up.
 */
function clampedExperts({ fields, sizes: { width } }: FamilyConfig, path: string): ExpertWeights {
  const [count, inner] = [fields.count('num_local_experts'), fields.count('intermediate_size')];
  const init = { kind: 'normal', standardDeviation: fields.real('initializer_range') } as const;
  const nameOf = (which: string, index: number) => `${path}.${which}.${index}`;
  const layer = (which: string, index: number, out: number, input: number): ParameterSpec[] => {
    const joint = (tensor: string) => ({ tensor: `${path}.${tensor}`, count, index, saved: true });
    return [
      { name: nameOf(which, index), shape: [out, input], init, joint: { ...joint(which), transposed: true } },
      { name: nameOf(`${which}_bias`, index), shape: [out], init: { kind: 'zeros' }, joint: joint(`${which}_bias`) },
    ];
  };
  const product = (scope: ForwardScope, which: string, expert: number, rows: Value) =>
    scope.expertLinear(rows, nameOf(which, expert), nameOf(`${which}_bias`, expert));
  return {
    count,
    parameters: Array.from({ length: count }, (_, e) => [
      ...layer('gate_up_proj', e, 2 * inner, width),
      ...layer('down_proj', e, width, inner),
    ]).flat(),
    project: (scope, e, rows) => [product(scope, 'gate_up_proj', e, rows)],
    activate({ g }, [projected]) {
      const apart = g.reshape(projected, [projected.dim(0), inner, 2]);
      const [gate, up] = g.split(apart, 2, 2).map((part) => g.squeeze(part, 2));
      const bounded = g.min(gate, LIMIT);
      return g.mul(g.add(g.clip(up, -LIMIT, LIMIT), 1), g.mul(bounded, g.sigmoid(g.mul(bounded, ALPHA))));
    },
    output: (scope, e, rows) => product(scope, 'down_proj', e, rows),
  };
}
