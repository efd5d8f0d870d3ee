// Describes Llama with Canon layers (canon.ts), a family that exists only here: they are before attention (A) and before the
// feed-forward layer (C). The weights are named as in the LlamaCanon of Allen-Zhu 2025, arXiv:2512.17351. Only a quarter of each
// head's columns have rotary embedding, so that the other columns compare tokens regardless of their distance.
import type { Family } from '../family.js';
import { canonLayer } from '../canon.js';
import { plainDecoder } from '../plain-decoder.js';
import { llama } from '../families/llama.js';

export const canonLlama: Family = {
  architecture: 'CanonLlamaForCausalLM',
  defaults: { ...llama.defaults, canon_kernel: 4, partial_rotary_factor: 0.25 },
  build(config) {
    const { fields, sizes } = config;
    const bias = fields.flag('attention_bias');
    const tokens = fields.count('canon_kernel');
    return plainDecoder(config, {
      rotary: config.rotary({ share: 'partial_rotary_factor' }),
      attention: () => ({ bias }),
      feedForward: { bias: fields.flag('mlp_bias') },
      inputs: (path) => ({
        mixer: canonLayer(`${path}.canonA`, sizes.width, tokens),
        feedForward: canonLayer(`${path}.canonC`, sizes.width, tokens),
      }),
    });
  },
};
