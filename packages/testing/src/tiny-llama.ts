/** Returns the config of a Llama with two heads and 16 columns, which is created in milliseconds. */
export const tinyLlama = (
  contextLength: number,
  changes: { num_hidden_layers?: number; initializer_range?: number } = {},
) => ({
  model_type: 'llama',
  hidden_size: 16,
  intermediate_size: 20,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  max_position_embeddings: contextLength,
  ...changes,
});
