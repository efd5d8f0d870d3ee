// Describes the families with mixtures of experts for GGUF, where the weights of all experts are one tensor [experts, out, in].
import type { FamilyConfig, LayerKind } from '../../decoder/family.js';
import { gptOssRope } from '../../decoder/families/experts.js';
import {
  headNorms,
  llamaModules,
  projections,
  ropeOfAll,
  sameKinds,
  windowEntries,
  withinWindow,
  type ExpertPlace,
  type GgufFamily,
} from './family.js';
import { count, type Entries } from './gguf-file.js';

const { 'mlp.gate_proj': _gate, 'mlp.up_proj': _up, 'mlp.down_proj': _down, ...aroundExperts } = llamaModules;

const expertEntries = ({ fields }: FamilyConfig, field: string): Entries => ({
  expert_count: count(fields.count(field)),
  expert_used_count: count(fields.count('num_experts_per_tok')),
});

/** Makes a function that finds the GGUF tensor of an expert's parameter by its module, such as w1 in `…experts.3.w1.weight`. */
const placeByName =
  (names: Readonly<Record<string, string>>) =>
  (name: string): ExpertPlace[] | undefined => {
    const module = /\.experts\.\d+\.(\w+)\.weight$/.exec(name)?.[1];
    return module === undefined ? undefined : [{ tensor: `${names[module]}.weight` }];
  };

export const mixtral = (mistral: GgufFamily): GgufFamily => ({
  ...mistral,
  modules: { ...aroundExperts, 'block_sparse_moe.gate': 'ffn_gate_inp' },
  experts: placeByName({ w1: 'ffn_gate_exps', w3: 'ffn_up_exps', w2: 'ffn_down_exps' }),
  describe: (config, { contextLength }) => ({
    entries: expertEntries(config, 'num_local_experts'),
    rope: ropeOfAll(config),
    ...withinWindow(config, sameKinds(config), contextLength),
  }),
});

export const qwen3Moe: GgufFamily = {
  arch: 'qwen3moe',
  modules: { ...aroundExperts, ...headNorms, 'mlp.gate': 'ffn_gate_inp' },
  biased: projections,
  experts: placeByName({ gate_proj: 'ffn_gate_exps', up_proj: 'ffn_up_exps', down_proj: 'ffn_down_exps' }),
  activation: 'silu',
  describe(config, { contextLength }, fail) {
    const { fields, sizes } = config;
    if (!fields.flag('norm_topk_prob')) throw fail("norm_topk_prob is false; llama.cpp's qwen3moe always normalizes");
    const kinds = new Array<LayerKind>(sizes.layers).fill(config.usesWindow ? 'sliding_attention' : 'full_attention');
    return {
      entries: {
        ...expertEntries(config, 'num_experts'),
        expert_feed_forward_length: count(fields.count('moe_intermediate_size')),
      },
      rope: ropeOfAll(config),
      ...withinWindow(config, kinds, contextLength),
    };
  },
};

/** Finds the tensors of gpt-oss's experts. Rows of `gate_up_proj` belong alternately to llama.cpp's gate and up projections. */
function gptOssPlaces(name: string): ExpertPlace[] | undefined {
  const [, module, isBias] = /\.experts\.(gate_up_proj|down_proj)(_bias)?\.\d+$/.exec(name) ?? [];
  if (module === undefined) return undefined;
  const suffix = isBias === undefined ? 'weight' : 'bias';
  if (module === 'down_proj') return [{ tensor: `ffn_down_exps.${suffix}` }];
  return [
    { tensor: `ffn_gate_exps.${suffix}`, rows: 'even' },
    { tensor: `ffn_up_exps.${suffix}`, rows: 'odd' },
  ];
}

export const gptOss: GgufFamily = {
  arch: 'gpt-oss',
  modules: {
    ...aroundExperts,
    post_attention_layernorm: 'post_attention_norm',
    'self_attn.sinks': 'attn_sinks',
    'mlp.router': 'ffn_gate_inp',
  },
  biased: [...projections, 'attn_output', 'ffn_gate_inp'],
  experts: gptOssPlaces,
  needsHead: true,
  activation: 'silu',
  describe(config, _architecture, fail) {
    const { fields, json } = config;
    if (!fields.flag('attention_bias')) throw fail("attention_bias is false; llama.cpp's gpt-oss requires the biases");
    const rope = (json.rope_parameters ?? json.rope_scaling) ? json : { ...json, rope_parameters: gptOssRope };
    const kinds = config.layerKinds((layer) => layer % 2 === 0);
    return {
      entries: {
        ...expertEntries(config, 'num_local_experts'),
        ...windowEntries(config, kinds, 2),
        expert_feed_forward_length: count(fields.count('intermediate_size')),
      },
      rope: { json: rope, rotary: config.rotary({ json: rope }), base: fields.real('rope_theta') },
    };
  },
};
