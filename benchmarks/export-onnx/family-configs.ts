// A small config.json of each family that can be exported as ONNX and is not among those of the GGUF benchmark.

const sizes = {
  hidden_size: 64,
  intermediate_size: 96,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 256,
  initializer_range: 0.2,
};
const own = { n_embd: 64, n_head: 4, n_layer: 3, n_positions: 256, initializer_range: 0.2 };

export const furtherFamilies: Readonly<Record<string, Record<string, unknown>>> = {
  Bloom: { model_type: 'bloom', hidden_size: 64, n_head: 4, n_layer: 3, initializer_range: 0.2 },
  Cohere: { ...sizes, model_type: 'cohere' },
  'Cohere 2': { ...sizes, model_type: 'cohere2', sliding_window: 16 },
  'ERNIE 4.5': { ...sizes, model_type: 'ernie4_5', head_dim: 16 },
  Falcon: { ...sizes, model_type: 'falcon', multi_query: false, num_kv_heads: 4, new_decoder_architecture: false },
  GLM: { ...sizes, model_type: 'glm', head_dim: 16 },
  'GPT-NeoX': { ...sizes, model_type: 'gpt_neox' },
  'GPT-J': { ...own, model_type: 'gptj', rotary_dim: 8 },
  Ministral: { ...sizes, model_type: 'ministral', head_dim: 16, sliding_window: 16 },
  OPT: { ...sizes, model_type: 'opt', ffn_dim: 96, word_embed_proj_dim: 64, init_std: 0.2 },
  Phi: { ...sizes, model_type: 'phi' },
  StableLM: { ...sizes, model_type: 'stablelm' },
  'StarCoder 2': { ...sizes, model_type: 'starcoder2', sliding_window: 16 },
};
