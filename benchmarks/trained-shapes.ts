// The model shapes and batch sizes with which training steps are timed.
import { gpt2Config } from '@bowyer/models';

export const [ROWS, TOKENS] = [4, 128];

const llama = { hidden_size: 384, intermediate_size: 1024, num_hidden_layers: 6, num_attention_heads: 6 };

/** Contents of config.json by name. */
export const trainedShapes: Readonly<Record<string, Record<string, unknown>>> = {
  gpt2: { ...gpt2Config({}) },
  '10.8M': { model_type: 'llama', ...llama, vocab_size: 512, max_position_embeddings: 256 },
};
