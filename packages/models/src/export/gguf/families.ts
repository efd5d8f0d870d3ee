// Describes the families that can be exported to GGUF, by Hugging Face's model_type.
// Source of the names and of what llama.cpp computes: src/models/*.cpp and conversion/*.py of ggml-org/llama.cpp.
import {
  headNorms,
  llamaModules,
  projections,
  requireWholeHeads,
  ropeOfAll,
  sameKinds,
  windowEntries,
  withinWindow,
  type GgufFamily,
} from './family.js';
import { count, real } from './gguf-file.js';
import { gptOss, mixtral, qwen3Moe } from './families-of-experts.js';
import { gemma, gemma2, gemma3 } from './families-of-gemma.js';
import { phi3RopeJson } from '../../decoder/families/phi.js';
import { slidingKinds } from '../../decoder/families/gemma.js';
import { lfm2Kinds } from '../../decoder/families/lfm2.js';
import { qwenKinds } from '../../decoder/families/qwen.js';
import { rotaryLayers } from '../../decoder/families/smollm3.js';

const llama: GgufFamily = {
  arch: 'llama',
  modules: llamaModules,
  biased: [...projections, 'attn_output', 'ffn_gate', 'ffn_up', 'ffn_down'],
  rotatesNeighbours: true,
  readsFactors: true,
  activation: 'silu',
  describe: (config) => ({ entries: {}, rope: ropeOfAll(config) }),
};

const mistral: GgufFamily = {
  ...llama,
  biased: [],
  describe: (config, { contextLength }) => ({
    entries: {},
    rope: ropeOfAll(config),
    ...withinWindow(config, sameKinds(config), contextLength),
  }),
};

const qwen2: GgufFamily = {
  arch: 'qwen2',
  modules: llamaModules,
  biased: projections,
  activation: 'silu',
  describe(config, { contextLength }, fail) {
    requireWholeHeads(config, 'qwen2', fail);
    return {
      entries: {},
      rope: ropeOfAll(config),
      ...withinWindow(config, qwenKinds(config), contextLength),
    };
  },
};

const qwen3: GgufFamily = {
  arch: 'qwen3',
  modules: { ...llamaModules, ...headNorms },
  biased: projections,
  activation: 'silu',
  describe: (config, { contextLength }) => ({
    entries: {},
    rope: ropeOfAll(config),
    ...withinWindow(config, qwenKinds(config), contextLength),
  }),
};

const gpt2: GgufFamily = {
  arch: 'gpt2',
  modules: {
    'transformer.wte': 'token_embd',
    'transformer.wpe': 'position_embd',
    'transformer.ln_f': 'output_norm',
    lm_head: 'output',
    ln_1: 'attn_norm',
    'attn.c_attn': 'attn_qkv',
    'attn.c_proj': 'attn_output',
    ln_2: 'ffn_norm',
    'mlp.c_fc': 'ffn_up',
    'mlp.c_proj': 'ffn_down',
  },
  biased: ['output_norm', 'attn_norm', 'attn_qkv', 'attn_output', 'ffn_norm', 'ffn_up', 'ffn_down'],
  activation: ['gelu_new', 'gelu_pytorch_tanh', 'gelu_fast'],
  describe: (config) => ({
    entries: {
      feed_forward_length: count(config.realOr('n_inner', 4 * config.sizes.width)),
      'attention.layer_norm_epsilon': real(config.realOr('layer_norm_epsilon', 1e-5)),
    },
  }),
};

const phi3: GgufFamily = {
  arch: 'phi3',
  modules: { ...llamaModules, 'self_attn.qkv_proj': 'attn_qkv', 'mlp.gate_up_proj': 'ffn_up' },
  readsLongrope: true,
  activation: 'silu',
  describe(config, { contextLength }, fail) {
    requireWholeHeads(config, 'phi3', fail);
    const json = phi3RopeJson(config);
    const rotary = config.rotary({ share: 'partial_rotary_factor', json });
    const capped = withinWindow(config, sameKinds(config), contextLength);
    const trained = config.fields.count('max_position_embeddings');
    return {
      // Older versions of llama.cpp cannot load the model without this entry; 0 means that there is no sliding window.
      entries: { 'attention.sliding_window': count(0) },
      rope: { json: { ...json, max_position_embeddings: trained }, rotary, base: config.realOr('rope_theta', 10_000) },
      contextLength: capped.contextLength ?? trained,
      notes: capped.notes,
    };
  },
};

const smollm3: GgufFamily = {
  arch: 'smollm3',
  modules: llamaModules,
  biased: projections,
  rotatesNeighbours: true,
  activation: 'silu',
  describe(config, { contextLength }, fail) {
    const turns = rotaryLayers(config);
    if (turns.some((is, layer) => is !== ((layer + 1) % 4 !== 0)))
      throw fail('no_rope_layers: only every fourth layer is without positions in llama.cpp’s smollm3');
    const { usesWindow } = config;
    const kinds = config.layerKinds((layer) => usesWindow && !turns[layer]);
    return { entries: {}, rope: ropeOfAll(config), ...withinWindow(config, kinds, contextLength) };
  },
};

const granite: GgufFamily = {
  ...llama,
  arch: 'granite',
  describe: (config) => ({
    entries: {
      'attention.scale': real(config.fields.real('attention_multiplier')),
      embedding_scale: real(config.fields.real('embedding_multiplier')),
      residual_scale: real(config.fields.real('residual_multiplier')),
      logit_scale: real(config.fields.real('logits_scaling')),
    },
    rope: ropeOfAll(config),
  }),
};

const olmo2: GgufFamily = {
  arch: 'olmo2',
  modules: {
    ...llamaModules,
    ...headNorms,
    post_attention_layernorm: 'post_attention_norm',
    post_feedforward_layernorm: 'post_ffw_norm',
  },
  needsHead: true,
  activation: 'silu',
  describe(config, _architecture, fail) {
    requireWholeHeads(config, 'olmo2', fail);
    return { entries: {}, rope: ropeOfAll(config) };
  },
};

const olmo3: GgufFamily = {
  ...olmo2,
  describe(config, _architecture, fail) {
    requireWholeHeads(config, 'olmo2', fail);
    const base = config.realOr('rope_theta', 500_000);
    const json = config.json as Record<string, Record<string, object> | undefined>;
    if (json.rope_parameters?.sliding_attention || json.rope_parameters?.full_attention)
      throw fail('rope_parameters has a scaling for each kind of layer, which llama.cpp’s olmo2 does not read');
    const kinds = slidingKinds(config, 4);
    const rotaries = config.rotaryByKind({ full_attention: base, sliding_attention: 500_000 });
    return {
      entries: { ...windowEntries(config, kinds, 4), 'rope.freq_base_swa': real(500_000) },
      rope: { json: config.json, rotary: rotaries.full_attention, base },
    };
  },
};

const lfm2: GgufFamily = {
  arch: 'lfm2',
  modules: {
    'model.embed_tokens': 'token_embd',
    'model.embedding_norm': 'token_embd_norm',
    lm_head: 'output',
    operator_norm: 'attn_norm',
    ffn_norm: 'ffn_norm',
    'self_attn.q_proj': 'attn_q',
    'self_attn.k_proj': 'attn_k',
    'self_attn.v_proj': 'attn_v',
    'self_attn.out_proj': 'attn_output',
    'self_attn.q_layernorm': 'attn_q_norm',
    'self_attn.k_layernorm': 'attn_k_norm',
    'conv.conv': 'shortconv.conv',
    'conv.in_proj': 'shortconv.in_proj',
    'conv.out_proj': 'shortconv.out_proj',
    'feed_forward.w1': 'ffn_gate',
    'feed_forward.w3': 'ffn_up',
    'feed_forward.w2': 'ffn_down',
  },
  activation: 'silu',
  describe(config, { parameters }, fail) {
    requireWholeHeads(config, 'lfm2', fail);
    const { fields, sizes } = config;
    const kinds = lfm2Kinds(config);
    const gate = parameters.find(({ name }) => name.endsWith('feed_forward.w1.weight'))!;
    return {
      entries: {
        feed_forward_length: count(gate.shape[0]),
        'attention.head_count_kv': {
          type: 'int32s',
          value: kinds.map((kind) => (kind === 'conv' ? 0 : sizes.keyValueHeads)),
        },
        'attention.layer_norm_rms_epsilon': real(fields.real('norm_eps')),
        'shortconv.l_cache': count(fields.count('conv_L_cache')),
      },
      rope: ropeOfAll(config),
    };
  },
};

export const ggufFamilies: Readonly<Record<string, GgufFamily>> = {
  llama,
  mistral,
  ministral: mistral,
  mixtral: mixtral(mistral),
  qwen2,
  qwen3,
  qwen3_moe: qwen3Moe,
  gemma,
  gemma2,
  gemma3_text: gemma3,
  gpt2,
  phi3,
  smollm3,
  granite,
  olmo2,
  olmo3,
  lfm2,
  gpt_oss: gptOss,
};
