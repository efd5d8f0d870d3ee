// Describes Gemma to Gemma 3 for GGUF: norms whose weights are added to 1, scaled embeddings, and sliding windows from Gemma 2 on.
import { slidingKinds } from '../../decoder/families/gemma.js';
import type { FamilyConfig } from '../../decoder/family.js';
import { headNorms, llamaModules, ropeOfAll, windowEntries, type Fail, type GgufFamily } from './family.js';
import { real } from './gguf-file.js';

const { lm_head: _head, ...tiedModules } = llamaModules;

export const gemma: GgufFamily = {
  arch: 'gemma',
  modules: tiedModules,
  normsFromOne: true,
  activation: ['gelu_pytorch_tanh', 'gelu'],
  describe: (config) => ({ entries: {}, rope: ropeOfAll(config) }),
};

const outputNorms = {
  post_attention_layernorm: 'post_attention_norm',
  pre_feedforward_layernorm: 'ffn_norm',
  post_feedforward_layernorm: 'post_ffw_norm',
};

/** Refuses a query scale other than llama.cpp's: that of the head size, or, with `largest` layers, of width / heads. */
function requireUsualScale({ fields, sizes }: FamilyConfig, largest: number, fail: Fail): void {
  const { layers, width, heads, headSize } = sizes;
  const expected = layers === largest ? width / heads : headSize;
  const scalar = fields.real('query_pre_attn_scalar');
  if (scalar !== expected) throw fail(`query_pre_attn_scalar is ${scalar}; llama.cpp's graph has ${expected}`);
}

export const gemma2: GgufFamily = {
  ...gemma,
  arch: 'gemma2',
  modules: { ...tiedModules, ...outputNorms },
  activation: 'gelu_pytorch_tanh',
  describe(config, _architecture, fail) {
    const { fields } = config;
    requireUsualScale(config, 46, fail);
    const cap = (field: string) => {
      if (fields.value(field) === undefined) throw fail(`${field} is null; llama.cpp's gemma2 always bounds them`);
      return real(fields.real(field));
    };
    return {
      entries: {
        ...windowEntries(config, slidingKinds(config, 2), 2),
        attn_logit_softcapping: cap('attn_logit_softcapping'),
        final_logit_softcapping: cap('final_logit_softcapping'),
      },
      rope: ropeOfAll(config),
    };
  },
};

export const gemma3: GgufFamily = {
  ...gemma,
  arch: 'gemma3',
  modules: { ...llamaModules, ...headNorms, ...outputNorms },
  activation: 'gelu_pytorch_tanh',
  describe(config, _architecture, fail) {
    const { fields } = config;
    requireUsualScale(config, 62, fail);
    const [base, localBase] = [config.realOr('rope_theta', 1e6), config.realOr('rope_local_base_freq', 1e4)];
    const rotaries = config.rotaryByKind({ full_attention: base, sliding_attention: localBase });
    const { rope_parameters: byKind, rope_scaling: older } = config.json as Record<string, Record<string, object>>;
    const full = { rope_theta: base, ...byKind?.full_attention, ...older };
    const local = (byKind?.sliding_attention ?? {}) as { rope_theta?: number; rope_type?: string };
    if ((local.rope_type ?? 'default') !== 'default')
      throw fail(`rope_parameters.sliding_attention has rope_type "${local.rope_type}", which llama.cpp does not read`);
    const softcap = fields.value('final_logit_softcapping');
    return {
      entries: {
        ...windowEntries(config, slidingKinds(config, fields.count('sliding_window_pattern')), 6),
        'rope.freq_base_swa': real(local.rope_theta ?? localBase),
        ...(softcap !== undefined && { final_logit_softcapping: real(fields.real('final_logit_softcapping')) }),
      },
      rope: { json: { rope_parameters: full }, rotary: rotaries.full_attention, base },
    };
  },
};
