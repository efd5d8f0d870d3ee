// The family of docs/extending/model.md.
import type { Family } from '../src/decoder/family.js';
import { llamaDefaults } from '../src/decoder/families/llama.js';
import { plainDecoder } from '../src/decoder/plain-decoder.js';

export const arcee: Family = {
  architecture: 'ArceeForCausalLM',
  defaults: {
    ...llamaDefaults,
    vocab_size: 32000,
    hidden_size: 2560,
    intermediate_size: 18432,
    hidden_act: 'relu2',
    max_position_embeddings: 4096,
    rms_norm_eps: 1e-5,
  },
  build(config) {
    const { fields } = config;
    return plainDecoder(config, {
      attention: () => ({ bias: fields.flag('attention_bias') }),
      feedForward: { kind: 'plain', bias: fields.flag('mlp_bias') },
    });
  },
};
