// The model that a policy is where none is given: small, from scratch, on words of its texts.
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
  // Scores of attention are near 1 from the start, whatever the width: with 0.02, which is for widths of thousands, they are near 0.
  const range = initializerRange ?? 1 / Math.sqrt(nEmbd);
  if (modelType === 'gpt2') {
    const shape = { n_layer: nLayer, n_head: nHead, n_embd: nEmbd, n_positions: nPositions };
    return { model_type: modelType, vocab_size: vocabularySize, ...shape, initializer_range: range };
  }
  return {
    model_type: modelType,
    vocab_size: vocabularySize,
    hidden_size: nEmbd,
    // Three matrices of 8/3 the width have as many weights as GPT-2's two of four times it.
    intermediate_size: Math.ceil((8 * nEmbd) / 3),
    num_hidden_layers: nLayer,
    num_attention_heads: nHead,
    num_key_value_heads: nHead,
    max_position_embeddings: nPositions,
    tie_word_embeddings: true,
    initializer_range: range,
  };
}
