// Mistral: Llama with a sliding window in every layer, where the file has one.
// Source: Jiang et al. 2023, arXiv:2310.06825.
import type { Family } from '../family.js';
import { plainDecoder } from '../plain-decoder.js';
import { llamaDefaults } from './llama.js';

export const mistral: Family = {
  architecture: 'MistralForCausalLM',
  defaults: {
    ...llamaDefaults,
    vocab_size: 32000,
    intermediate_size: 14336,
    num_key_value_heads: 8,
    max_position_embeddings: 131072,
    sliding_window: 4096,
  },
  build(config) {
    const { fields } = config;
    for (const field of ['attention_bias', 'mlp_bias']) fields.refuse(field, false);
    const rotary = config.rotary();
    const hasWindow = fields.value('sliding_window') !== undefined;
    const kinds = config.layerKinds(() => (hasWindow ? 'sliding_attention' : 'full_attention'));
    const windows = config.windows(kinds, rotary.contextLength);
    return plainDecoder(config, { rotary, attention: (layer) => ({ window: windows[layer] }) });
  },
};
