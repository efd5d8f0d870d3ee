// Describes SmolLM 3, which is Llama without rotary embedding in every fourth layer.
// Source: Bakouch et al. 2025, "SmolLM3: smol, multilingual, long-context reasoner".
import type { Family, FamilyConfig } from '../family.js';
import { plainDecoder } from '../plain-decoder.js';
import { llamaDefaults } from './llama.js';

export const smolLm3: Family = {
  architecture: 'SmolLM3ForCausalLM',
  defaults: {
    ...llamaDefaults,
    vocab_size: 128256,
    hidden_size: 2048,
    intermediate_size: 11008,
    num_hidden_layers: 36,
    num_attention_heads: 16,
    num_key_value_heads: 4,
    max_position_embeddings: 32768,
    rope_theta: 2_000_000,
    use_sliding_window: false,
    no_rope_layer_interval: 4,
    tie_word_embeddings: true,
  },
  build(config) {
    const { fields } = config;
    const rotary = config.rotary();
    const turns = rotaryLayers(config);
    const { usesWindow } = config;
    const kinds = config.layerKinds((layer) => usesWindow && !turns[layer]);
    const windows = config.windows(kinds, rotary.contextLength);
    const bias = fields.flag('attention_bias');
    return plainDecoder(config, {
      rotary,
      attention: (layer) => ({ bias, rotary: turns[layer] ? rotary : null, window: windows[layer] }),
      feedForward: { bias: fields.flag('mlp_bias') },
    });
  },
};

/** Returns for each layer whether it has rotary embedding. In the field `no_rope_layers`, 1 means that the layer has it. */
export function rotaryLayers({ fields, sizes }: FamilyConfig): boolean[] {
  const listed = fields.value('no_rope_layers');
  if (listed === undefined) {
    const interval = fields.count('no_rope_layer_interval');
    return Array.from({ length: sizes.layers }, (_, layer) => (layer + 1) % interval !== 0);
  }
  if (!Array.isArray(listed) || listed.length !== sizes.layers)
    throw fields.error('no_rope_layers', `must list 0 or 1 for each of the ${sizes.layers} layers`);
  return listed.map(Boolean);
}
