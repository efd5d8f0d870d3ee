// Describes Granite 3, which is Llama with factors by which the embeddings, the attention scores, the outputs of layers and the
// logits are multiplied. Source: Granite Team 2024, "Granite 3.0 language models".
import type { Family } from '../family.js';
import { plainDecoder } from '../plain-decoder.js';
import { llamaDefaults } from './llama.js';

export const granite: Family = {
  architecture: 'GraniteForCausalLM',
  defaults: {
    ...llamaDefaults,
    vocab_size: 32000,
    intermediate_size: 11008,
    max_position_embeddings: 2048,
    embedding_multiplier: 1,
    logits_scaling: 1,
    residual_multiplier: 1,
    attention_multiplier: 1,
  },
  build(config) {
    const { fields } = config;
    const [bias, scale] = [fields.flag('attention_bias'), fields.real('attention_multiplier')];
    return plainDecoder(config, {
      attention: () => ({ bias, scale }),
      feedForward: { bias: fields.flag('mlp_bias') },
      block: { residualFactor: fields.real('residual_multiplier') },
      embedding: { factor: fields.real('embedding_multiplier') },
      head: { factor: 1 / fields.real('logits_scaling') },
    });
  },
};
