// Describes StableLM 2 and 3B, which are Llama with layer norms and rotary embedding of a quarter of each head's columns; with
// `use_parallel_residual`, attention and feed-forward layer of a block are parallel.
// Source: Bellagente et al. 2024, arXiv:2402.17834.
import type { Family, FamilyConfig } from '../family.js';
import { normPerHead } from '../parts.js';
import { plainDecoder } from '../plain-decoder.js';
import type { QueryKeyNorms } from '../self-attention.js';
import { llamaDefaults } from './llama.js';

export const stableLm: Family = {
  architecture: 'StableLmForCausalLM',
  defaults: {
    ...llamaDefaults,
    vocab_size: 50304,
    hidden_size: 2560,
    intermediate_size: 6912,
    num_key_value_heads: 32,
    max_position_embeddings: 4096,
    layer_norm_eps: 1e-5,
    partial_rotary_factor: 0.25,
    use_qkv_bias: false,
    qk_layernorm: false,
    use_parallel_residual: false,
  },
  build(config) {
    const { fields } = config;
    fields.refuse('hidden_dropout', 0);
    const parallel = fields.flag('use_parallel_residual');
    const bias = fields.flag('use_qkv_bias');
    const queryKeyNorm = fields.flag('qk_layernorm') ? (path: string) => norms(config, path) : undefined;
    return plainDecoder(config, {
      norm: { kind: 'layer', epsilon: fields.real('layer_norm_eps') },
      ...(parallel && { norms: { mixerInput: 'input_layernorm' } }),
      rotary: config.rotary({ share: 'partial_rotary_factor' }),
      attention: () => ({ bias, outputBias: false, queryKeyNorm }),
      block: { parallel },
    });
  },
};

/** Builds norms of queries and keys that have separate weights for each head. */
function norms({ fields, sizes }: FamilyConfig, path: string): QueryKeyNorms {
  const epsilon = fields.real('layer_norm_eps');
  const names = (which: string, heads: number) =>
    Array.from({ length: heads }, (_, head) => `${path}.${which}_layernorm.norms.${head}.weight`);
  return {
    over: 'head',
    query: normPerHead(names('q', sizes.heads), sizes.headSize, epsilon),
    key: normPerHead(names('k', sizes.keyValueHeads), sizes.headSize, epsilon),
  };
}
