// Every field of the classes that transformers and peft read a model's files with, and what becomes of it here.
// A new family: its type in FAMILIES of record-fields.py (then `record-fields.py fields`), and a row in `decoders` with what
// its class has beyond `everyDecoder`. The test names every field that has no class, and every one that the classes lack.

/** The classes of the fields of one file. A field is in one of these. */
export interface FieldClasses {
  /** Read and checked; a string in its place is refused. The value is what the file needs for it to be read. */
  used: Readonly<Record<string, object>>;
  /** Refused, with a value that is; the class's default loads. */
  refused: Readonly<Record<string, unknown>>;
  /** Without effect on a result. Any value loads. */
  idle: readonly string[];
}

const read = (...fields: string[]) => Object.fromEntries(fields.map((field) => [field, {}]));

/** The fields that PreTrainedConfig has, and those that all decoders share. */
const everyDecoder: FieldClasses = {
  used: read('vocab_size', 'tie_word_embeddings', 'initializer_range'),
  refused: { is_encoder_decoder: true },
  idle: [
    'architectures',
    'transformers_version',
    'dtype', // written again when a model is saved
    'bos_token_id',
    'eos_token_id',
    'pad_token_id', // of texts, not of the forward pass
    'id2label',
    'label2id',
    'problem_type', // of classifiers
    'output_hidden_states',
    'return_dict',
    'use_cache',
    'chunk_size_feed_forward', // how, not what
  ],
};

const sizes = read(
  'hidden_size',
  'intermediate_size',
  'num_hidden_layers',
  'num_attention_heads',
  'max_position_embeddings',
);
const rotary = { ...sizes, ...read('hidden_act', 'attention_dropout', 'rope_parameters') };
const grouped = { ...rotary, ...read('num_key_value_heads') };
const llamaLike = { ...grouped, ...read('rms_norm_eps') };
const window = { use_sliding_window: true, max_window_layers: 1 };
const qwen = {
  ...llamaLike,
  ...read('use_sliding_window', 'layer_types'),
  sliding_window: window,
  max_window_layers: window,
};
const { hidden_act: _act, ...gemmaLike } = { ...llamaLike, ...read('hidden_activation', 'head_dim', 'attention_bias') };
const gemma4 = {
  ...gemmaLike,
  ...read('sliding_window', 'layer_types', 'final_logit_softcapping'),
  ...read('attention_k_eq_v', 'num_kv_shared_layers', 'use_double_wide_mlp'),
};
const gemma4Experts = { enable_moe_block: true, num_experts: 4, top_k_experts: 2, moe_intermediate_size: 7 };
const { intermediate_size: _inner, hidden_act: __act, ...falconSizes } = rotary;
const { hidden_act: ___act, attention_dropout: _dropout, ...lfmSizes } = grouped;
const withoutList = { layer_types: null };
/** For a shrunk config that has rope_scaling, which would win. */
const unscaled = { rope_scaling: null };

/** The fields of a mixture of experts and of Hugging Face's loss of it: results do not change. */
const router = ['output_router_logits', 'router_aux_loss_coef'];
const hybrid = {
  ...llamaLike,
  ...read('attention_bias', 'head_dim', 'linear_conv_kernel_dim', 'linear_key_head_dim', 'linear_value_head_dim'),
  ...read('linear_num_key_heads', 'linear_num_value_heads', 'layer_types'),
};
const { intermediate_size: __inner, ...hybridExperts } = {
  ...hybrid,
  ...read('moe_intermediate_size', 'shared_expert_intermediate_size', 'num_experts_per_tok', 'num_experts'),
};

const row = (used: FieldClasses['used'], rest: Partial<FieldClasses> = {}): FieldClasses => ({
  used: { ...everyDecoder.used, ...used },
  refused: { ...everyDecoder.refused, ...rest.refused },
  idle: [...everyDecoder.idle, ...(rest.idle ?? [])],
});

function withoutField(field: string, { used, ...others }: FieldClasses): FieldClasses {
  return { ...others, used: Object.fromEntries(Object.entries(used).filter(([name]) => name !== field)) };
}

/** The fields of decoders, by model_type. */
export const decoders: Readonly<Record<string, FieldClasses>> = {
  llama: row({ ...llamaLike, ...read('head_dim', 'attention_bias', 'mlp_bias') }, { idle: ['pretraining_tp'] }),
  mistral: row({ ...llamaLike, ...read('head_dim', 'sliding_window') }),
  qwen2: row(qwen),
  qwen3: row({ ...qwen, ...read('head_dim', 'attention_bias') }),
  gpt_neox: row(
    { ...rotary, ...read('layer_norm_eps', 'hidden_dropout', 'use_parallel_residual', 'attention_bias') },
    { idle: ['classifier_dropout', 'is_decoder'] },
  ),
  falcon: row({
    ...falconSizes,
    ...read('activation', 'layer_norm_epsilon', 'hidden_dropout', 'bias', 'multi_query', 'parallel_attn', 'alibi'),
    ...read('new_decoder_architecture', 'ffn_hidden_size'),
    num_kv_heads: { new_decoder_architecture: true },
    num_ln_in_parallel_attn: { new_decoder_architecture: true },
  }),
  gpt2: row(
    read(
      'n_embd',
      'n_layer',
      'n_head',
      'n_positions',
      'n_inner',
      'activation_function',
      'layer_norm_epsilon',
      'attn_pdrop',
      'embd_pdrop',
      'resid_pdrop',
    ),
    {
      refused: { scale_attn_weights: false, scale_attn_by_inverse_layer_idx: true, add_cross_attention: true },
      idle: [
        'reorder_and_upcast_attn', // the same numbers in another order
        'summary_type',
        'summary_use_proj',
        'summary_activation',
        'summary_proj_to_labels',
        'summary_first_dropout',
      ],
    },
  ),
  gemma: row(
    { ...llamaLike, ...read('head_dim', 'attention_bias') },
    { refused: { use_bidirectional_attention: true } }, // of embedding models
  ),
  gemma2: row(
    {
      ...gemmaLike,
      ...read('query_pre_attn_scalar', 'sliding_window', 'layer_types'),
      ...read('final_logit_softcapping', 'attn_logit_softcapping'),
    },
    { refused: { use_bidirectional_attention: true } },
  ),
  gemma3_text: row(
    { ...gemmaLike, ...read('query_pre_attn_scalar', 'sliding_window', 'layer_types', 'final_logit_softcapping') },
    { refused: { use_bidirectional_attention: true }, idle: ['attn_logit_softcapping'] },
  ),
  gemma4_text: row(
    {
      ...gemma4,
      ...read('vocab_size_per_layer_input', 'hidden_size_per_layer_input', 'enable_moe_block'),
      num_experts: gemma4Experts,
      top_k_experts: gemma4Experts,
      moe_intermediate_size: gemma4Experts,
    },
    { refused: { use_bidirectional_attention: 'all' } },
  ),
  gemma4_unified_text: row(gemma4, { refused: { use_bidirectional_attention: 'all' } }),
  smollm3: row({
    ...llamaLike,
    ...read('use_sliding_window', 'no_rope_layers', 'layer_types', 'attention_bias', 'mlp_bias'),
    sliding_window: { use_sliding_window: true, ...withoutList },
    no_rope_layer_interval: { no_rope_layers: null },
  }),
  ministral: row({ ...llamaLike, ...read('head_dim', 'sliding_window', 'layer_types') }),
  ministral3: row({ ...llamaLike, ...read('head_dim', 'sliding_window') }),
  phi: row({ ...grouped, ...read('layer_norm_eps', 'resid_pdrop', 'embd_pdrop', 'qk_layernorm') }),
  phi3: row(
    { ...llamaLike, ...read('resid_pdrop', 'original_max_position_embeddings', 'sliding_window') },
    { idle: ['embd_pdrop'] }, // read there and not used
  ),
  olmo2: row({ ...llamaLike, ...read('attention_bias') }),
  olmo3: row({ ...llamaLike, ...read('attention_bias', 'sliding_window', 'layer_types') }),
  granite: row({
    ...llamaLike,
    ...read('attention_bias', 'mlp_bias', 'embedding_multiplier', 'logits_scaling', 'residual_multiplier'),
    ...read('attention_multiplier'),
  }),
  glm: row({ ...llamaLike, ...read('head_dim', 'attention_bias') }),
  glm4: row({ ...llamaLike, ...read('head_dim', 'attention_bias') }),
  ernie4_5: row(
    (({ attention_dropout: _none, ...others }) => ({ ...others, ...read('use_bias', 'head_dim') }))(llamaLike),
  ),
  exaone4: row({ ...llamaLike, ...read('sliding_window', 'layer_types'), sliding_window_pattern: withoutList }),
  seed_oss: row(
    { ...llamaLike, ...read('attention_bias', 'attention_out_bias', 'residual_dropout', 'mlp_bias', 'head_dim') },
    { idle: ['pretraining_tp'] },
  ),
  gptj: row(
    read(
      'n_positions',
      'n_embd',
      'n_layer',
      'n_head',
      'rotary_dim',
      'n_inner',
      'activation_function',
      'resid_pdrop',
      'embd_pdrop',
      'attn_pdrop',
      'layer_norm_epsilon',
    ),
  ),
  opt: withoutField(
    'initializer_range', // init_std
    row(
      read(
        'hidden_size',
        'num_hidden_layers',
        'ffn_dim',
        'max_position_embeddings',
        'num_attention_heads',
        'dropout',
        'attention_dropout',
        'activation_function',
        'init_std',
        'enable_bias',
      ),
      {
        refused: {
          do_layer_norm_before: false,
          _remove_final_layer_norm: true,
          word_embed_proj_dim: 8,
          layerdrop: 0.1,
          layer_norm_elementwise_affine: false,
        },
      },
    ),
  ),
  stablelm: row(
    { ...grouped, ...read('layer_norm_eps', 'use_qkv_bias', 'qk_layernorm', 'use_parallel_residual') },
    { refused: { hidden_dropout: 0.1 } },
  ),
  starcoder2: row({
    ...grouped,
    ...read('norm_epsilon', 'sliding_window', 'residual_dropout', 'embedding_dropout', 'use_bias'),
  }),
  cohere: row({ ...grouped, ...read('layer_norm_eps', 'logit_scale', 'attention_bias', 'use_qk_norm') }),
  cohere2: row({
    ...grouped,
    ...read('layer_norm_eps', 'logit_scale', 'attention_bias', 'sliding_window', 'layer_types'),
  }),
  bloom: row(read('hidden_size', 'n_layer', 'n_head', 'layer_norm_epsilon', 'hidden_dropout', 'attention_dropout'), {
    refused: { apply_residual_connection_post_layernorm: true },
    idle: ['pretraining_tp', 'slow_but_exact'], // the same numbers in another order
  }),
  qwen3_moe: row(
    {
      ...llamaLike,
      ...read('attention_bias', 'use_sliding_window', 'decoder_sparse_step', 'moe_intermediate_size'),
      ...read('num_experts_per_tok', 'num_experts', 'norm_topk_prob', 'mlp_only_layers'),
      sliding_window: { use_sliding_window: true },
    },
    { idle: router },
  ),
  mixtral: row(
    { ...llamaLike, ...read('head_dim', 'sliding_window', 'num_experts_per_tok', 'num_local_experts') },
    { refused: { router_jitter_noise: 0.1 }, idle: router },
  ),
  gpt_oss: row(
    (({ hidden_act: _none, ...others }) => ({
      ...others,
      ...read('head_dim', 'sliding_window', 'num_experts_per_tok', 'num_local_experts', 'layer_types'),
      ...read('attention_bias'),
      rope_parameters: unscaled,
    }))(llamaLike),
    { idle: [...router, 'hidden_act'] }, // its experts have one activation
  ),
  lfm2: row({
    ...lfmSizes,
    ...read('norm_eps', 'conv_bias', 'conv_L_cache', 'block_multiple_of', 'block_ffn_dim_multiplier'),
    ...read('block_auto_adjust_ff_dim', 'layer_types'),
    full_attn_idxs: withoutList,
  }),
  lfm2_moe: row({
    ...lfmSizes,
    ...read('norm_eps', 'conv_bias', 'conv_L_cache', 'moe_intermediate_size', 'num_dense_layers', 'layer_types'),
    ...read('num_experts_per_tok', 'num_experts', 'use_expert_bias', 'routed_scaling_factor', 'norm_topk_prob'),
  }),
  qwen3_5_text: row(hybrid),
  qwen3_5_moe_text: row(hybridExperts, { idle: router }),
  qwen3_next: row(
    {
      ...hybridExperts,
      ...read('decoder_sparse_step', 'norm_topk_prob', 'mlp_only_layers'),
      intermediate_size: { mlp_only_layers: [0] },
    },
    { idle: router },
  ),
  deepseek_v3: row(
    {
      ...rotary,
      ...read('rms_norm_eps', 'moe_intermediate_size', 'n_shared_experts', 'n_routed_experts'),
      ...read('routed_scaling_factor', 'kv_lora_rank', 'q_lora_rank', 'qk_rope_head_dim', 'v_head_dim'),
      ...read('qk_nope_head_dim', 'n_group', 'topk_group', 'num_experts_per_tok', 'first_k_dense_replace'),
      ...read('norm_topk_prob', 'rope_interleave', 'attention_bias'),
      rope_parameters: unscaled,
    },
    { idle: ['pretraining_tp', 'num_mtp_layers', 'num_key_value_heads'] },
  ),
};

/** generation_config.json, of a decoder that samples. */
export const generation: FieldClasses = {
  used: read(
    'sequence_bias',
    'repetition_penalty',
    'no_repeat_ngram_size',
    'bad_words_ids',
    'min_length',
    'min_new_tokens',
    'suppress_tokens',
    'begin_suppress_tokens',
  ),
  refused: {
    num_beams: 2,
    num_beam_groups: 2,
    num_return_sequences: 2,
    diversity_penalty: 0.5,
    penalty_alpha: 0.6,
    dola_layers: 'high',
    constraints: [1],
    force_words_ids: [[1]],
    encoder_repetition_penalty: 1.2,
    encoder_no_repeat_ngram_size: 2,
    exponential_decay_length_penalty: [2, 1.1],
    guidance_scale: 1.5,
    watermarking_config: { bias: 2 },
    token_healing: true,
    stop_strings: ['x'],
    max_time: 3,
    forced_bos_token_id: 3,
    forced_eos_token_id: 3,
    min_p: 0.1,
    top_h: 0.4,
    typical_p: 0.9,
    epsilon_cutoff: 0.1,
    eta_cutoff: 0.1,
  },
  idle: [
    'max_length',
    'max_new_tokens',
    'do_sample',
    'temperature',
    'top_k',
    'top_p', // keys of a run
    'eos_token_id',
    'pad_token_id',
    'bos_token_id',
    'decoder_start_token_id', // the first is read with config.json
    'early_stopping',
    'length_penalty',
    'low_memory', // of beams, which are refused
    'use_cache',
    'cache_implementation',
    'cache_config',
    'max_cache_len',
    'prefill_chunk_size',
    'use_mtp',
    'renormalize_logits',
    'remove_invalid_values', // a constant on all logits; numbers that are refused at load
    'output_attentions',
    'output_hidden_states',
    'output_scores',
    'output_logits',
    'return_dict_in_generate',
    // Speculation keeps the distribution.
    'is_assistant',
    'num_assistant_tokens',
    'num_assistant_tokens_schedule',
    'assistant_confidence_threshold',
    'prompt_lookup_num_tokens',
    'max_matching_ngram_size',
    'assistant_early_exit',
    'assistant_lookbehind',
    'target_lookbehind',
    'assistant_ensemble_weight',
    'speculation_type',
    'compile_config',
    'disable_compile',
    'continuous_batching_config',
    'transformers_version',
  ],
};

/** adapter_config.json of LoRA. */
export const adapter: FieldClasses = {
  used: read(
    'r',
    'lora_alpha',
    'lora_dropout',
    'target_modules',
    'use_rslora',
    'base_model_name_or_path',
    'rank_pattern',
    'alpha_pattern',
    'use_dora',
  ),
  refused: {
    peft_type: 'LOHA',
    task_type: 'SEQ_CLS',
    bias: 'all',
    modules_to_save: ['lm_head'],
    init_lora_weights: 'pissa',
    exclude_modules: ['q_proj'],
    layers_to_transform: [0],
    layers_pattern: ['layers'], // PEFT raises without layers_to_transform
    megatron_config: { x: 1 },
    trainable_token_indices: [1],
    velora_config: { x: 1 },
    alora_invocation_tokens: [3],
    use_qalora: true,
    monteclora_config: { x: 1 },
    layer_replication: [[0, 1]],
    lora_bias: true,
    target_parameters: ['x'],
    use_bdlora: { x: 1 },
    arrow_config: { x: 1 },
    kasa_config: { x: 1 },
  },
  idle: [
    'auto_mapping',
    'peft_version',
    'revision',
    'inference_mode',
    'fan_in_fan_out',
    'runtime_config',
    'megatron_core',
    'qalora_group_size',
    'ensure_weight_tying',
    'loftq_config',
    'eva_config',
    'corda_config',
    'lora_ga_config', // of start values
  ],
};
