// Makes the config.json of a policy that is trained from scratch because the config names no model: a small model whose
// vocabulary is the words of its training data.
import type { NodePart } from '../keys/agent-keys.js';

type BuiltInPolicy = NodePart<
  'policy',
  'modelType' | 'nLayer' | 'nHead' | 'nEmbd' | 'nPositions' | 'initializerRange'
>['policy'];

/** Makes the config.json of a policy that is trained from scratch. */
export function builtInPolicy(
  { modelType, nLayer, nHead, nEmbd, nPositions, initializerRange }: BuiltInPolicy,
  vocabularySize: number,
) {
  // The narrower the model, the larger the standard deviation of its initial weights, so that the initial attention scores are
  // near 1. GPT-2's 0.02 is for widths of thousands; in a narrow model it makes the scores near 0.
  const range = initializerRange ?? 1 / Math.sqrt(nEmbd);
  if (modelType === 'gpt2') {
    const shape = { n_layer: nLayer, n_head: nHead, n_embd: nEmbd, n_positions: nPositions };
    return { model_type: modelType, vocab_size: vocabularySize, ...shape, initializer_range: range };
  }
  return {
    model_type: modelType,
    vocab_size: vocabularySize,
    hidden_size: nEmbd,
    // The gated MLP has three matrices; with 8/3 of the width they have as many weights as GPT-2's two matrices with four times
    // the width.
    intermediate_size: Math.ceil((8 * nEmbd) / 3),
    num_hidden_layers: nLayer,
    num_attention_heads: nHead,
    num_key_value_heads: nHead,
    max_position_embeddings: nPositions,
    tie_word_embeddings: true,
    initializer_range: range,
  };
}
