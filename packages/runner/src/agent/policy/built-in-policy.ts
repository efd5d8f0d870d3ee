// Makes the config of a policy from scratch, where no model is given: a small one, on the words of its texts.
import type { NodePart } from '../keys/agent-keys.js';

type BuiltInPolicy = NodePart<
  'policy',
  'modelType' | 'nLayer' | 'nHead' | 'nEmbd' | 'nPositions' | 'initializerRange'
>['policy'];

/** Makes the config.json of a policy made from scratch. */
export function builtInPolicy(
  { modelType, nLayer, nHead, nEmbd, nPositions, initializerRange }: BuiltInPolicy,
  vocabularySize: number,
) {
  // The standard deviation of initial weights grows with narrow models, so that attention scores are near 1 from the start: 0.02,
  // which is for widths of thousands, makes them near 0.
  const range = initializerRange ?? 1 / Math.sqrt(nEmbd);
  if (modelType === 'gpt2') {
    const shape = { n_layer: nLayer, n_head: nHead, n_embd: nEmbd, n_positions: nPositions };
    return { model_type: modelType, vocab_size: vocabularySize, ...shape, initializer_range: range };
  }
  return {
    model_type: modelType,
    vocab_size: vocabularySize,
    hidden_size: nEmbd,
    // Three matrices of 8/3 of the width have as many weights as GPT-2's two of four times the width.
    intermediate_size: Math.ceil((8 * nEmbd) / 3),
    num_hidden_layers: nLayer,
    num_attention_heads: nHead,
    num_key_value_heads: nHead,
    max_position_embeddings: nPositions,
    tie_word_embeddings: true,
    initializer_range: range,
  };
}
