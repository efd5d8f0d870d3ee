// Describes Phi 1 to 2, which have parallel blocks and rotary embedding of a part of each head's columns, and Phi 3 to 4, which
// are Llama with joint projections and longrope.
// Sources: Gunasekar et al. 2023, arXiv:2306.11644; Abdin et al. 2024, arXiv:2404.14219 and arXiv:2412.08905.
import type { ConfigJson } from '@bowyer/checkpoints';
import { ropeFields } from '../../layers/rotary-frequencies.js';
import type { Family, FamilyConfig } from '../family.js';
import { plainDecoder } from '../plain-decoder.js';

const defaults: ConfigJson = {
  initializer_range: 0.02,
  tie_word_embeddings: false,
  rope_theta: 10000,
  resid_pdrop: 0,
  embd_pdrop: 0,
  attention_dropout: 0,
};

export const phi: Family = {
  architecture: 'PhiForCausalLM',
  defaults: {
    ...defaults,
    vocab_size: 51200,
    hidden_size: 2048,
    intermediate_size: 8192,
    num_hidden_layers: 24,
    num_attention_heads: 32,
    hidden_act: 'gelu_new',
    max_position_embeddings: 2048,
    layer_norm_eps: 1e-5,
    partial_rotary_factor: 0.5,
    qk_layernorm: false,
  },
  build(config) {
    const { fields } = config;
    return plainDecoder(config, {
      names: {
        finalNorm: 'model.final_layernorm',
        output: 'dense',
        up: 'fc1',
        down: 'fc2',
        queryNorm: 'q_layernorm',
        keyNorm: 'k_layernorm',
      },
      norm: { kind: 'layer', epsilon: fields.real('layer_norm_eps') },
      norms: { mixerInput: 'input_layernorm' },
      rotary: config.rotary({ share: 'partial_rotary_factor' }),
      attention: () => ({ bias: true, queryKeyNorm: fields.flag('qk_layernorm') ? 'head' : undefined }),
      feedForward: { kind: 'plain', bias: true },
      block: { parallel: true, dropout: fields.real('resid_pdrop') },
      embedding: { dropout: fields.real('embd_pdrop') },
      head: { bias: true },
    });
  },
};

export const phi3: Family = {
  architecture: 'Phi3ForCausalLM',
  defaults: {
    ...defaults,
    vocab_size: 32064,
    hidden_size: 3072,
    intermediate_size: 8192,
    num_hidden_layers: 32,
    num_attention_heads: 32,
    hidden_act: 'silu',
    max_position_embeddings: 4096,
    original_max_position_embeddings: 4096,
    rms_norm_eps: 1e-5,
    partial_rotary_factor: 1,
  },
  build(config) {
    const { fields } = config;
    // The embedding's dropout is not applied, since Hugging Face's class does not apply it either.
    const rotary = config.rotary({ share: 'partial_rotary_factor', json: phi3RopeJson(config) });
    const kinds = config.layerKinds(() => config.hasWindow);
    const windows = config.windows(kinds, rotary.contextLength);
    return plainDecoder(config, {
      rotary,
      attention: (layer) => ({ projections: 'parts', window: windows[layer] }),
      feedForward: { kind: 'joint' },
      block: { dropout: fields.real('resid_pdrop') },
    });
  },
};

/**
 * Returns the rope fields in the form of current config.json files. Files of the first releases call longrope "su" or "yarn" and
 * have the original context length as a separate field.
 */
export function phi3RopeJson({ type, json, fields }: FamilyConfig): ConfigJson {
  const given = ropeFields(type, json).scaling;
  const name = given.rope_type ?? given.type ?? 'default';
  const rope_type = name === 'su' || name === 'yarn' ? 'longrope' : name;
  const original_max_position_embeddings = fields.count('original_max_position_embeddings');
  const base = given.rope_theta ?? json.rope_theta;
  return {
    ...(json.partial_rotary_factor !== undefined && { partial_rotary_factor: json.partial_rotary_factor }),
    rope_parameters: {
      ...given,
      rope_type,
      ...(base !== undefined && { rope_theta: base }),
      original_max_position_embeddings,
    },
  };
}
