// Describes Smeared Llama, which is Llama whose keys are convolved with those of the previous tokens (key-convolution.ts).
import type { Family } from '../family.js';
import { plainDecoder } from '../plain-decoder.js';
import { llama } from '../families/llama.js';

export const smearedLlama: Family = {
  architecture: 'SmearedLlamaForCausalLM',
  defaults: { ...llama.defaults, key_convolution_tokens: 2 },
  build(config) {
    const { fields } = config;
    const bias = fields.flag('attention_bias');
    return plainDecoder(config, {
      attention: () => ({ bias, keyConvolution: fields.count('key_convolution_tokens') }),
      feedForward: { bias: fields.flag('mlp_bias') },
    });
  },
};
