// Describes OLMo 2 and 3, which normalise the outputs of attention and feed-forward layer instead of their inputs, and have norms
// of queries and keys over all heads together. Sources: Team OLMo 2024, arXiv:2501.00656; 2025, "Olmo 3".
import type { ConfigJson } from '@bowyer/checkpoints';
import type { Family } from '../family.js';
import { plainDecoder, type BlockNormNames } from '../plain-decoder.js';
import { llamaDefaults } from './llama.js';

const defaults: ConfigJson = {
  ...llamaDefaults,
  vocab_size: 50304,
  intermediate_size: 11008,
  max_position_embeddings: 2048,
  rms_norm_eps: 1e-5,
};

export const outputNorms: BlockNormNames = {
  mixerOutput: 'post_attention_layernorm',
  feedForwardOutput: 'post_feedforward_layernorm',
};

export const olmo2: Family = {
  architecture: 'Olmo2ForCausalLM',
  defaults,
  build(config) {
    const bias = config.fields.flag('attention_bias');
    return plainDecoder(config, { norms: outputNorms, attention: () => ({ bias, queryKeyNorm: 'projection' }) });
  },
};

export const olmo3: Family = {
  architecture: 'Olmo3ForCausalLM',
  defaults: { ...defaults, rope_theta: 500_000, sliding_window: 4096 },
  build(config) {
    const { fields } = config;
    const full_attention = fields.real('rope_theta');
    const rotaries = config.rotaryByKind({ full_attention, sliding_attention: 500_000 });
    const { contextLength } = rotaries.full_attention;
    const kinds = config.layerKinds((layer) => (layer + 1) % 4 !== 0);
    const windows = config.windows(kinds, contextLength);
    const bias = fields.flag('attention_bias');
    return plainDecoder(config, {
      norms: outputNorms,
      rotary: rotaries.full_attention,
      attention: (layer) => ({
        bias,
        queryKeyNorm: 'projection',
        rotary: rotaries[kinds[layer]],
        window: windows[layer],
      }),
    });
  },
};
