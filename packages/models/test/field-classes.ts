// Every field of the classes that transformers and peft read a model's files with, and what becomes of it here.
// A new family: its type in FAMILIES of tools/record-fields.py (then `record-fields.py fields`), and a row in `decoders` with what
// its class has beyond `everyDecoder`. The test names every field that has no class, and every one that the classes lack.

/** What becomes of the fields of one file. A field is in one of these. */
export interface FieldClasses {
  /** Read and checked; a string in its place is refused. With what the file must have for the field to be read. */
  used: Readonly<Record<string, object>>;
  /** Refused, with a value that is; the class's default loads. */
  refused: Readonly<Record<string, unknown>>;
  /** Without effect on a result. Any value loads. */
  idle: readonly string[];
}

const read = (...fields: string[]) => Object.fromEntries(fields.map((field) => [field, {}]));

/** What PreTrainedConfig has, and what all decoders share. */
const everyDecoder: FieldClasses = {
  used: read('vocab_size', 'tie_word_embeddings', 'initializer_range'),
  refused: { is_encoder_decoder: true },
  idle: [
    ...['architectures', 'transformers_version', 'dtype'], // written again when a model is saved
    ...['bos_token_id', 'eos_token_id', 'pad_token_id'], // of texts, not of the forward pass
    ...['id2label', 'label2id', 'problem_type'], // of classifiers
    ...['output_hidden_states', 'return_dict', 'use_cache', 'chunk_size_feed_forward'], // how, not what
  ],
};

const rotary = read(
  ...['hidden_size', 'intermediate_size', 'num_hidden_layers', 'num_attention_heads', 'max_position_embeddings'],
  ...['hidden_act', 'attention_dropout', 'rope_parameters'],
);
const llamaLike = { ...rotary, ...read('num_key_value_heads', 'rms_norm_eps') };
const window = { use_sliding_window: true, max_window_layers: 1 };
const qwen = {
  ...llamaLike,
  ...read('use_sliding_window', 'layer_types'),
  sliding_window: window,
  max_window_layers: window,
};
const { intermediate_size: _, hidden_act: __, ...falconSizes } = rotary;

const row = (used: FieldClasses['used'], rest: Partial<FieldClasses> = {}): FieldClasses => ({
  used: { ...everyDecoder.used, ...used },
  refused: { ...everyDecoder.refused, ...rest.refused },
  idle: [...everyDecoder.idle, ...(rest.idle ?? [])],
});

/** By model_type. */
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
      ...['n_embd', 'n_layer', 'n_head', 'n_positions', 'n_inner', 'activation_function', 'layer_norm_epsilon'],
      ...['attn_pdrop', 'embd_pdrop', 'resid_pdrop'],
    ),
    {
      refused: { scale_attn_weights: false, scale_attn_by_inverse_layer_idx: true, add_cross_attention: true },
      idle: [
        'reorder_and_upcast_attn', // the same numbers in another order
        ...[
          'summary_type',
          'summary_use_proj',
          'summary_activation',
          'summary_proj_to_labels',
          'summary_first_dropout',
        ],
      ],
    },
  ),
};

/** generation_config.json, of a decoder that samples. */
export const generation: FieldClasses = {
  used: read(
    ...['sequence_bias', 'repetition_penalty', 'no_repeat_ngram_size', 'bad_words_ids', 'min_length', 'min_new_tokens'],
    ...['suppress_tokens', 'begin_suppress_tokens'],
  ),
  refused: {
    ...{ num_beams: 2, num_beam_groups: 2, num_return_sequences: 2, diversity_penalty: 0.5, penalty_alpha: 0.6 },
    ...{ dola_layers: 'high', constraints: [1], force_words_ids: [[1]], encoder_repetition_penalty: 1.2 },
    ...{ encoder_no_repeat_ngram_size: 2, exponential_decay_length_penalty: [2, 1.1], guidance_scale: 1.5 },
    ...{ watermarking_config: { bias: 2 }, token_healing: true, stop_strings: ['x'], max_time: 3 },
    ...{ forced_bos_token_id: 3, forced_eos_token_id: 3 },
    ...{ min_p: 0.1, top_h: 0.4, typical_p: 0.9, epsilon_cutoff: 0.1, eta_cutoff: 0.1 },
  },
  idle: [
    ...['max_length', 'max_new_tokens', 'do_sample', 'temperature', 'top_k', 'top_p'], // keys of a run
    ...['eos_token_id', 'pad_token_id', 'bos_token_id', 'decoder_start_token_id'], // the first is read with config.json
    ...['early_stopping', 'length_penalty', 'low_memory'], // of beams, which are refused
    ...['use_cache', 'cache_implementation', 'cache_config', 'max_cache_len', 'prefill_chunk_size', 'use_mtp'],
    ...['renormalize_logits', 'remove_invalid_values'], // a constant on all logits; numbers that are refused at load
    ...['output_attentions', 'output_hidden_states', 'output_scores', 'output_logits', 'return_dict_in_generate'],
    // Speculation keeps the distribution.
    ...['is_assistant', 'num_assistant_tokens', 'num_assistant_tokens_schedule', 'assistant_confidence_threshold'],
    ...['prompt_lookup_num_tokens', 'max_matching_ngram_size', 'assistant_early_exit', 'assistant_lookbehind'],
    ...['target_lookbehind', 'assistant_ensemble_weight', 'speculation_type'],
    ...['compile_config', 'disable_compile', 'continuous_batching_config', 'transformers_version'],
  ],
};

/** adapter_config.json of LoRA. */
export const adapter: FieldClasses = {
  used: read('r', 'lora_alpha', 'lora_dropout', 'target_modules', 'use_rslora', 'base_model_name_or_path'),
  refused: {
    ...{ peft_type: 'LOHA', task_type: 'SEQ_CLS', bias: 'all', modules_to_save: ['lm_head'], use_dora: true },
    ...{
      init_lora_weights: 'pissa',
      exclude_modules: ['q_proj'],
      layers_to_transform: [0],
      rank_pattern: { q_proj: 2 },
    },
    ...{
      alpha_pattern: { q_proj: 2 },
      megatron_config: { x: 1 },
      trainable_token_indices: [1],
      velora_config: { x: 1 },
    },
    ...{ alora_invocation_tokens: [3], use_qalora: true, monteclora_config: { x: 1 }, layer_replication: [[0, 1]] },
    ...{
      lora_bias: true,
      target_parameters: ['x'],
      use_bdlora: { x: 1 },
      arrow_config: { x: 1 },
      kasa_config: { x: 1 },
    },
  },
  idle: [
    ...['auto_mapping', 'peft_version', 'revision', 'inference_mode', 'fan_in_fan_out', 'runtime_config'],
    ...['megatron_core', 'qalora_group_size', 'layers_pattern', 'ensure_weight_tying'],
    ...['loftq_config', 'eva_config', 'corda_config', 'lora_ga_config'], // of start values
  ],
};
