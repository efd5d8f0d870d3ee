// Describes EXAONE 4, which has norms of outputs as in OLMo 2, norms of each head's queries and keys, and rotary embedding only
// in the layers with a sliding window.
// Source: LG AI Research 2025, arXiv:2507.11407.
import type { Family } from '../family.js';
import { plainDecoder } from '../plain-decoder.js';
import { llamaDefaults } from './llama.js';
import { outputNorms } from './olmo.js';

export const exaone4: Family = {
  architecture: 'Exaone4ForCausalLM',
  defaults: {
    ...llamaDefaults,
    vocab_size: 102400,
    intermediate_size: 16384,
    num_key_value_heads: 32,
    max_position_embeddings: 2048,
    rms_norm_eps: 1e-5,
    sliding_window: 4096,
    sliding_window_pattern: 4,
  },
  build(config) {
    const { fields } = config;
    const rotary = config.rotary();
    const { hasWindow } = config;
    const pattern = () => fields.count('sliding_window_pattern');
    const kinds = config.layerKinds((layer) => hasWindow && (layer + 1) % pattern() !== 0);
    const windows = config.windows(kinds, rotary.contextLength);
    return plainDecoder(config, {
      norms: outputNorms,
      rotary,
      attention: (layer) => ({
        queryKeyNorm: 'head',
        rotary: !hasWindow || kinds[layer] === 'sliding_attention' ? rotary : null,
        window: windows[layer],
      }),
    });
  },
};
