// A small config.json of each family that can be exported as GGUF, and of each form of positions and windows.

/** Sizes that most configs share. */
const sizes = {
  hidden_size: 64,
  intermediate_size: 96,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 256,
  initializer_range: 0.2,
};
const original = { original_max_position_embeddings: 64 };
const llama3 = { rope_type: 'llama3', factor: 4, low_freq_factor: 1, high_freq_factor: 4, ...original };
const yarn = { rope_type: 'yarn', factor: 4, ...original };
const slides = { sliding_window: 16 };
const gemma2 = { ...sizes, model_type: 'gemma2', head_dim: 32, query_pre_attn_scalar: 32, ...slides };
const gemma3 = { ...gemma2, model_type: 'gemma3_text', num_hidden_layers: 7 };
const experts = { num_experts: 4, num_local_experts: 4, num_experts_per_tok: 2, moe_intermediate_size: 32 };
const gptOss = {
  ...sizes,
  model_type: 'gpt_oss',
  head_dim: 16,
  num_local_experts: 4,
  num_experts_per_tok: 2,
  ...slides,
};
const factors = (base: number) => Array.from({ length: 8 }, (_, i) => base + i / 4);

export const familyConfigs: Readonly<Record<string, Record<string, unknown>>> = {
  Llama: { ...sizes, model_type: 'llama' },
  'Llama, tied, heads of 32, biases': {
    ...sizes,
    model_type: 'llama',
    head_dim: 32,
    tie_word_embeddings: true,
    attention_bias: true,
    mlp_bias: true,
  },
  'Llama 3.1 (llama3 scaling)': { ...sizes, model_type: 'llama', rope_scaling: llama3 },
  'Llama, linear scaling': { ...sizes, model_type: 'llama', rope_scaling: { rope_type: 'linear', factor: 4 } },
  'Llama, YaRN': { ...sizes, model_type: 'llama', rope_scaling: { ...yarn, attention_factor: 1.3 } },
  Mistral: { ...sizes, model_type: 'mistral', sliding_window: null },
  Mixtral: { ...sizes, model_type: 'mixtral', num_local_experts: 4, num_experts_per_tok: 2, sliding_window: null },
  'Qwen 2': { ...sizes, model_type: 'qwen2', tie_word_embeddings: true },
  'Qwen 2.5 (YaRN)': { ...sizes, model_type: 'qwen2', rope_scaling: yarn },
  'Qwen 3': { ...sizes, model_type: 'qwen3', head_dim: 32 },
  'Qwen 3 MoE': { ...sizes, model_type: 'qwen3_moe', head_dim: 32, ...experts, norm_topk_prob: true },
  Gemma: { ...sizes, model_type: 'gemma', head_dim: 32 },
  'Gemma 2': gemma2,
  'Gemma 3': gemma3,
  'Gemma 3, linear scaling': { ...gemma3, rope_scaling: { rope_type: 'linear', factor: 8 } },
  'GPT-2': { model_type: 'gpt2', n_embd: 64, n_head: 4, n_layer: 3, n_positions: 256, initializer_range: 0.2 },
  'Phi-3': { ...sizes, model_type: 'phi3' },
  'Phi-3, longrope': {
    ...sizes,
    model_type: 'phi3',
    max_position_embeddings: 512,
    original_max_position_embeddings: 256, // the shortest context of llama.cpp is 256 tokens
    rope_scaling: { type: 'longrope', short_factor: factors(1), long_factor: factors(2) },
  },
  'Phi-4 mini (partial rotary)': { ...sizes, model_type: 'phi3', partial_rotary_factor: 0.75 },
  'SmolLM 3': { ...sizes, model_type: 'smollm3' },
  'Granite 3': {
    ...sizes,
    model_type: 'granite',
    attention_multiplier: 0.2,
    embedding_multiplier: 3,
    residual_multiplier: 0.5,
    logits_scaling: 2,
  },
  'OLMo 2': { ...sizes, model_type: 'olmo2' },
  'OLMo 3': { ...sizes, model_type: 'olmo3', ...slides },
  LFM2: {
    ...sizes,
    model_type: 'lfm2',
    layer_types: ['conv', 'full_attention', 'conv', 'full_attention'],
    block_auto_adjust_ff_dim: false,
  },
  'gpt-oss': { ...gptOss, rope_scaling: { ...yarn, truncate: true } },
  'gpt-oss, YaRN as published': { ...gptOss, rope_scaling: { ...yarn, truncate: false } },
};
