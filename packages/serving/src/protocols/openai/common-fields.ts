// Lists the request fields that POST /v1/chat/completions and /v1/completions share: those that the server uses, those without
// effect on an answer, and those that are refused. Sources: OpenAI's API reference (openai-node 7.57); vllm-project/vllm,
// entrypoints/openai/chat_completion/protocol.py at 002032e; sgl-project/sglang, srt/entrypoints/openai/protocol.py at 004c82e;
// ggml-org/llama.cpp, tools/server/README.md at 00dc805; text generation inference and OpenRouter where they use other names.
import { harmless, never, refused, renamed, served, type FieldRules } from '../fields/field-rules.js';

export const ofBoth: FieldRules = {
  ...served('model', 'n', 'max_tokens', 'seed', 'stream', 'stream_options', 'logprobs'),
  ...served('temperature', 'top_p', 'top_k', 'repetition_penalty', 'presence_penalty', 'frequency_penalty'),
  ...served('logit_bias', 'bad_words', 'allowed_token_ids', 'min_tokens', 'ignore_eos', 'stop', 'stop_token_ids'),
  ...served('truncate_prompt_tokens', 'truncation_side', 'return_token_ids', 'return_tokens_as_token_ids'),
  // Accepted without effect: names for logs and bills, hints about speed, and options of refused fields.
  ...harmless('user', 'metadata', 'store', 'service_tier', 'safety_identifier', 'prompt_cache_key', 'moderation'),
  ...harmless('prompt_cache_retention', 'prompt_cache_options', 'prediction', 'verbosity', 'request_id', 'rid'),
  ...harmless('session_id', 'extra_key', 'custom_labels', 'cache_prompt', 'n_cache_reuse', 'id_slot'),
  ...harmless('stream_interval', 'sse_ping_interval', 'spaces_between_special_tokens', 'mm_processor_kwargs'),
  ...harmless('media_io_kwargs', 'images_config'),
  ...refused({ min_p: [0], typical_p: [1], top_a: [0], tfs_z: [1], top_n_sigma: [-1, 0], epsilon_cutoff: [0] }),
  ...refused({ eta_cutoff: [0], smoothing_factor: [0], dynatemp_range: [0], dynatemp_exponent: [1], min_keep: [0] }),
  ...refused({ mirostat: [0], mirostat_tau: [5], mirostat_eta: [0.1], xtc_probability: [0], xtc_threshold: [0.1] }),
  ...refused({ dry_multiplier: [0], dry_base: [1.75], dry_allowed_length: [2], dry_penalty_last_n: [64, -1, 0] }),
  ...refused({ dry_sequence_breakers: [[]], repeat_last_n: [0, 64, -1], samplers: never, sampler_seed: never }),
  ...refused({ no_repeat_ngram_size: [0], encoder_repetition_penalty: [1], penalty_alpha: [0], guidance_scale: [1] }),
  ...refused({ negative_prompt: [''], watermark: [false], watermarking: [false], repetition_detection: never }),
  ...refused({ custom_logit_processor: never, custom_params: never, logits_processors: [[]], vllm_xargs: [{}] }),
  ...refused({ use_beam_search: [false], num_beams: [1], length_penalty: [1], early_stopping: [false] }),
  ...refused({ structured_outputs: never, guided_json: never, guided_json_object: [false], guided_regex: [''] }),
  ...refused({ guided_choice: [[]], guided_grammar: [''], guided_decoding: never, guided_decoding_backend: never }),
  ...refused({ guided_decoding_disable_any_whitespace: never, guided_decoding_disable_fallback: never }),
  ...refused({ guided_whitespace_pattern: never, structural_tag: never, json_schema: never, regex: [''], ebnf: [''] }),
  ...refused({ grammar: [''], grammar_lazy: [false], grammar_triggers: [[]], stop_regex: [[], ''] }),
  ...refused({ include_stop_str_in_output: [false], no_stop_trim: [false], skip_special_tokens: [true] }),
  ...refused({ t_max_predict_ms: [0, -1], n_indent: [0], n_keep: [0, -1], thinking_token_budget: never }),
  ...refused({ thinking_budget_tokens: [-1], reasoning_budget: [-1] }),
  ...refused({ prompt_logprobs: never }, 'write echo=true, logprobs=0 and max_tokens=0 to /v1/completions'),
  ...refused({ logprob_token_ids: never, top_n_tokens: [0], n_probs: [0], post_sampling_probs: [false] }),
  ...refused({ return_hidden_states: [false], return_routed_experts: [false], return_cached_tokens_details: [false] }),
  ...refused({ return_meta_info: [false], return_token_offsets: [false], return_prompt_text: [false] }),
  ...refused({ return_mm_kwargs: [true], routed_experts_start_len: [0], routed_experts_prompt_start: [0] }),
  ...refused({ return_progress: [false], timings_per_token: [false], response_fields: [[]], usage: never }),
  ...refused(
    { return_prompt_token_ids: [false], return_completion_token_ids: [false], return_tokens: [false] },
    'write return_token_ids',
  ),
  ...refused({ input_ids: never, prompt_embeds: never, multimodal_data: never, use_audio_in_video: [false] }),
  ...refused({ max_dynamic_patch: never, min_dynamic_patch: never, lora: [[]], lora_path: never, adapter_id: never }),
  ...refused({ session_params: never, models: [[]], provider: never, route: never, transforms: [[]], plugins: [[]] }),
  // Refused: they choose a priority in the queue, a server in a cluster, or a shared cache.
  ...refused({ priority: [0], cache_salt: never, kv_transfer_params: never, ec_transfer_params: never }),
  ...refused({ bootstrap_host: never, bootstrap_port: never, bootstrap_room: never, routed_dp_rank: never }),
  ...refused({ data_parallel_rank: never, disagg_prefill_dp_rank: never, ngram_corpus_id: never }),
  // The following names are those of other programs for fields that this API has under another name.
  ...renamed({ n_predict: 'max_tokens', max_new_tokens: 'max_tokens', max_output_tokens: 'max_tokens' }),
  ...renamed({ n_cmpl: 'n', num_return_sequences: 'n', stop_sequences: 'stop', repeat_penalty: 'repetition_penalty' }),
  ...renamed({
    truncate: 'truncate_prompt_tokens',
    min_new_tokens: 'min_tokens',
    do_sample: 'temperature: 0 for false',
  }),
  ...renamed({ inputs: 'messages, or prompt to /v1/completions', parameters: 'its fields beside the others' }),
};

export const streamOptions: FieldRules = {
  ...served('include_usage'),
  ...harmless('include_obfuscation'),
  ...refused({ continuous_usage_stats: [false] }),
};
