// Derives config.json from the metadata of a GGUF file; export/gguf derives the metadata from config.json.
// Source: src/models/*.cpp and conversion/*.py of ggml-org/llama.cpp.
import type { ConfigJson } from '@bowyer/checkpoints';
import { ggufFamilies } from '../../export/gguf/families.js';
import type { GgufFamily } from '../../export/gguf/family.js';
import type { GgufMetadata } from './gguf-metadata.js';
import { ropeScaling } from './gguf-rope.js';

function commonFields(metadata: GgufMetadata): ConfigJson {
  const { file } = metadata;
  const [width, heads] = [metadata.number('.embedding_length'), metadata.sameNumber('.attention.head_count')];
  const headSize = metadata.number('.attention.key_length', width / heads);
  if (metadata.number('.attention.value_length', headSize) !== headSize)
    throw metadata.fail('its heads of values have another size than those of keys, which is not supported');
  const biased = (tensor: string) => file.tensors.has(`blk.0.${tensor}.bias`);
  return {
    hidden_size: width,
    ...(metadata.has('.feed_forward_length') && { intermediate_size: metadata.sameNumber('.feed_forward_length') }),
    num_hidden_layers: metadata.number('.block_count'),
    num_attention_heads: heads,
    head_dim: headSize,
    ...(metadata.has('.attention.layer_norm_rms_epsilon') && {
      rms_norm_eps: metadata.number('.attention.layer_norm_rms_epsilon'),
    }),
    max_position_embeddings: metadata.number('.context_length'),
    rope_theta: metadata.number('.rope.freq_base', 10_000),
    rope_scaling: ropeScaling(metadata),
    attention_bias: biased('attn_q'),
    mlp_bias: biased('ffn_up'),
    tie_word_embeddings: !file.tensors.has('output.weight'),
  };
}

const fieldsOf = (metadata: GgufMetadata): ConfigJson => ({
  ...commonFields(metadata),
  num_key_value_heads: metadata.sameNumber('.attention.head_count_kv', metadata.sameNumber('.attention.head_count')),
});

/** Reads which layers have a sliding window; if the file does not say, all but every `pattern`-th layer do. */
function windowFields(metadata: GgufMetadata, pattern: number): ConfigJson {
  const key = '.attention.sliding_window_pattern';
  const given = metadata.value(key);
  const every = typeof given === 'number' ? given : pattern;
  const slides = Array.from({ length: metadata.number('.block_count') }, (_, layer) =>
    Array.isArray(given) ? given[layer] === true : (layer + 1) % every !== 0,
  );
  return {
    sliding_window: metadata.number('.attention.sliding_window'),
    layer_types: slides.map((is) => (is ? 'sliding_attention' : 'full_attention')),
  };
}

const expertFields = (metadata: GgufMetadata, field: string): ConfigJson => ({
  [field]: metadata.number('.expert_count'),
  num_experts_per_tok: metadata.number('.expert_used_count'),
});

/** Returns Gemma's `query_pre_attn_scalar`, which scales queries: the head size, except in the model with `largest` layers. */
function queryScale(metadata: GgufMetadata, largest: number): ConfigJson {
  const { hidden_size, num_attention_heads, num_hidden_layers, head_dim } = fieldsOf(metadata) as Record<
    string,
    number
  >;
  return {
    query_pre_attn_scalar: num_hidden_layers === largest ? hidden_size / num_attention_heads : head_dim,
    hidden_activation: 'gelu_pytorch_tanh',
  };
}

const softcap = (metadata: GgufMetadata, key: string, field: string, otherwise: number | null): ConfigJson => ({
  [field]: metadata.has(key) ? metadata.number(key) : otherwise,
});

/**
 * Adds `truncate: false` to `rope_scaling`: gpt-oss does not round YaRN's ramp to whole dimensions, which GGUF does not state.
 */
const untruncated = (fields: ConfigJson): ConfigJson =>
  fields.rope_scaling === undefined
    ? fields
    : { ...fields, rope_scaling: { ...(fields.rope_scaling as ConfigJson), truncate: false } };

/** Readers of config.json's fields from the metadata, by llama.cpp's name of the architecture. */
const readers: Readonly<Record<string, (metadata: GgufMetadata) => ConfigJson>> = {
  llama: (metadata) => {
    const fields = fieldsOf(metadata);
    return metadata.number('.expert_count', 0) === 0
      ? { model_type: 'llama', ...fields }
      : { model_type: 'mixtral', ...fields, ...expertFields(metadata, 'num_local_experts') };
  },
  qwen2: (metadata) => {
    const { attention_bias: _biases, mlp_bias: _none, ...fields } = fieldsOf(metadata);
    return { model_type: 'qwen2', ...fields, use_sliding_window: false };
  },
  qwen3: (metadata) => ({ model_type: 'qwen3', ...fieldsOf(metadata), use_sliding_window: false }),
  qwen3moe: (metadata) => ({
    model_type: 'qwen3_moe',
    ...fieldsOf(metadata),
    ...expertFields(metadata, 'num_experts'),
    moe_intermediate_size: metadata.number('.expert_feed_forward_length'),
    norm_topk_prob: true,
    decoder_sparse_step: 1,
    mlp_only_layers: [],
  }),
  gemma: (metadata) => ({ model_type: 'gemma', ...fieldsOf(metadata) }),
  gemma2: (metadata) => ({
    model_type: 'gemma2',
    ...fieldsOf(metadata),
    ...windowFields(metadata, 2),
    ...queryScale(metadata, 46),
    ...softcap(metadata, '.attn_logit_softcapping', 'attn_logit_softcapping', 50),
    ...softcap(metadata, '.final_logit_softcapping', 'final_logit_softcapping', 30),
  }),
  gemma3: (metadata) => ({
    model_type: 'gemma3_text',
    ...fieldsOf(metadata),
    rope_theta: metadata.number('.rope.freq_base', 1_000_000),
    rope_local_base_freq: metadata.number('.rope.freq_base_swa', 10_000),
    ...windowFields(metadata, 6),
    ...queryScale(metadata, 62),
    ...softcap(metadata, '.final_logit_softcapping', 'final_logit_softcapping', null),
  }),
  gpt2: (metadata) => ({
    model_type: 'gpt2',
    n_embd: metadata.number('.embedding_length'),
    n_layer: metadata.number('.block_count'),
    n_head: metadata.sameNumber('.attention.head_count'),
    n_positions: metadata.number('.context_length'),
    n_inner: metadata.number('.feed_forward_length'),
    layer_norm_epsilon: metadata.number('.attention.layer_norm_epsilon'),
    activation_function: 'gelu_new',
    tie_word_embeddings: !metadata.file.tensors.has('output.weight'),
  }),
  phi3: (metadata) => {
    const { attention_bias: _none, mlp_bias: _neither, ...fields } = fieldsOf(metadata);
    const window = metadata.number('.attention.sliding_window', 0);
    const context = metadata.number('.context_length');
    return {
      model_type: 'phi3',
      ...fields,
      partial_rotary_factor:
        metadata.number('.rope.dimension_count', Number(fields.head_dim)) / Number(fields.head_dim),
      original_max_position_embeddings: metadata.number('.rope.scaling.original_context_length', context),
      sliding_window: window > 0 ? window : null,
    };
  },
  smollm3: (metadata) => ({
    model_type: 'smollm3',
    ...fieldsOf(metadata),
    no_rope_layer_interval: 4,
    use_sliding_window: false,
  }),
  granite: (metadata) => ({
    model_type: 'granite',
    ...fieldsOf(metadata),
    attention_multiplier: metadata.number('.attention.scale'),
    embedding_multiplier: metadata.number('.embedding_scale'),
    residual_multiplier: metadata.number('.residual_scale'),
    logits_scaling: metadata.number('.logit_scale'),
  }),
  olmo2: (metadata) => {
    const fields = fieldsOf(metadata);
    if (metadata.number('.attention.sliding_window', 0) === 0) return { model_type: 'olmo2', ...fields };
    return { model_type: 'olmo3', ...fields, ...windowFields(metadata, 4) };
  },
  lfm2: (metadata) => {
    const kept = metadata.numbers('.attention.head_count_kv');
    const {
      intermediate_size,
      rms_norm_eps,
      attention_bias: _none,
      mlp_bias: _neither,
      ...fields
    } = commonFields(metadata);
    return {
      model_type: 'lfm2',
      ...fields,
      num_key_value_heads: kept.find((heads) => heads > 0) ?? fields.num_attention_heads,
      layer_types: kept.map((heads) => (heads > 0 ? 'full_attention' : 'conv')),
      intermediate_size,
      block_auto_adjust_ff_dim: false,
      norm_eps: rms_norm_eps,
      conv_L_cache: metadata.number('.shortconv.l_cache'),
    };
  },
  'gpt-oss': (metadata) => ({
    model_type: 'gpt_oss',
    ...untruncated(fieldsOf(metadata)),
    ...expertFields(metadata, 'num_local_experts'),
    ...windowFields(metadata, 2),
    intermediate_size: metadata.number('.expert_feed_forward_length'),
    attention_bias: true,
  }),
};

export function ggufConfig(metadata: GgufMetadata): { config: ConfigJson; family: GgufFamily } {
  const { arch, file } = metadata;
  const kind = metadata.text('general.type', 'model');
  if (kind !== 'model') throw metadata.fail(`it is of the type ${JSON.stringify(kind)}, no model`, 'give the model');
  const parts = metadata.number('split.count', 1);
  if (parts > 1)
    throw metadata.fail(
      `it is one of ${parts} parts of a model`,
      'join them: llama-gguf-split --merge FIRST_PART JOINED.gguf',
    );
  const reader = readers[arch];
  if (!reader)
    throw metadata.fail(`its architecture is ${arch}; the ones that are read: ${Object.keys(readers).join(', ')}`);
  const embedding = file.tensors.get('token_embd.weight');
  if (embedding === undefined) throw metadata.fail('it has no tensor token_embd.weight', 'download the file again');
  const fields = Object.entries(reader(metadata)).filter(([, value]) => value !== undefined);
  const config = { ...Object.fromEntries(fields), vocab_size: embedding.shape[0], ...endFields(metadata) };
  const family = ggufFamilies[String((config as ConfigJson).model_type)]!;
  return { config, family };
}

/** Returns the ids of the special tokens. The tokens that end a turn or a message are also end-of-text tokens. */
function endFields(metadata: GgufMetadata): ConfigJson {
  const id = (role: string) => {
    const key = `tokenizer.ggml.${role}_token_id`;
    return metadata.has(key) ? [metadata.number(key)] : [];
  };
  const ends = [...new Set(['eos', 'eot', 'eom'].flatMap(id))];
  const [[bos], [pad]] = [id('bos'), id('padding')];
  return {
    ...(bos !== undefined && { bos_token_id: bos }),
    ...(ends.length > 0 && { eos_token_id: ends.length === 1 ? ends[0] : ends }),
    ...(pad !== undefined && { pad_token_id: pad }),
  };
}
