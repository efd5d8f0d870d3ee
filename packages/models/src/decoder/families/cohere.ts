// Describes Command R (cohere) and Command R7B (cohere2). In their blocks attention and feed-forward layer are parallel and read
// one norm without bias, and rotary embedding rotates pairs of neighbouring columns; in Cohere 2 only layers with a sliding
// window have rotary embedding.
// Source: Cohere 2025, arXiv:2504.00698.
import type { ConfigJson } from '@bowyer/checkpoints';
import type { Family, FamilyConfig } from '../family.js';
import { normPerHead } from '../parts.js';
import { plainDecoder, type AttentionDeparture } from '../plain-decoder.js';
import type { QueryKeyNorms } from '../self-attention.js';

const defaults: ConfigJson = {
  vocab_size: 256000,
  hidden_size: 8192,
  intermediate_size: 22528,
  logit_scale: 0.0625,
  num_hidden_layers: 40,
  num_attention_heads: 64,
  hidden_act: 'silu',
  max_position_embeddings: 8192,
  initializer_range: 0.02,
  layer_norm_eps: 1e-5,
  tie_word_embeddings: true,
  attention_bias: false,
  attention_dropout: 0,
};

function build(config: FamilyConfig, attention: (layer: number) => AttentionDeparture) {
  const { fields } = config;
  const bias = fields.flag('attention_bias');
  return plainDecoder(config, {
    norm: { kind: 'layer-without-bias', epsilon: fields.real('layer_norm_eps') },
    norms: { mixerInput: 'input_layernorm' },
    attention: (layer) => ({ bias, ...attention(layer) }),
    block: { parallel: true },
    head: { factor: fields.real('logit_scale') },
  });
}

export const cohere: Family = {
  architecture: 'CohereForCausalLM',
  defaults: { ...defaults, rope_theta: 500_000, use_qk_norm: false },
  build(config) {
    const rotary = config.rotary({ interleaved: true });
    const queryKeyNorm = config.fields.flag('use_qk_norm') ? (path: string) => norms(config, path) : undefined;
    return build(config, () => ({ rotary, queryKeyNorm }));
  },
};

/** Builds norms of queries and keys that have separate weights for each head. */
function norms({ fields, sizes }: FamilyConfig, path: string): QueryKeyNorms {
  const epsilon = fields.real('layer_norm_eps');
  return {
    over: 'head',
    query: normPerHead(`${path}.q_norm.weight`, sizes.headSize, epsilon, sizes.heads),
    key: normPerHead(`${path}.k_norm.weight`, sizes.headSize, epsilon, sizes.keyValueHeads),
  };
}

export const cohere2: Family = {
  architecture: 'Cohere2ForCausalLM',
  defaults: { ...defaults, rope_theta: 10_000, sliding_window: 4096, sliding_window_pattern: 4 },
  build(config) {
    const rotary = config.rotary({ interleaved: true });
    const pattern = () => config.fields.count('sliding_window_pattern');
    const kinds = config.layerKinds((layer) => (layer + 1) % pattern() !== 0);
    const windows = config.windows(kinds, rotary.contextLength);
    return build(config, (layer) => ({
      rotary: kinds[layer] === 'sliding_attention' ? rotary : null,
      window: windows[layer],
    }));
  },
};
