// Every field of the config classes of transformers 5.18 for encoders and encoder-decoders, classified, and each class
// checked by code: a field that is used changes the model, one without effect does not, the others are refused by name.
// record-transformers.py recorded the fields.
import { readFileSync } from 'node:fs';
import { serialize } from '@bowyer/graph';
import type { ConfigJson } from '@bowyer/checkpoints';
import { encoderConfigFromJson } from '../src/encoder/encoder-config.js';
import { generationRules } from '../src/seq2seq/generation-rules.js';
import { encoderDecoderFor } from '../src/seq2seq/seq2seq-architectures.js';
import { scoreGraph } from '../src/seq2seq/seq2seq-graphs.js';

interface Fields {
  /** The fields with their defaults. */
  fields: Record<string, unknown>;
  other_names: Record<string, string>;
  /** Read by the code without being declared. */
  undeclared: string[];
}

interface Classification {
  /** A valid config.json. */
  base: ConfigJson;
  /** Fields with a value that changes the model. */
  used: ConfigJson;
  /** Fields with a value that is refused. */
  refused: ConfigJson;
  withoutEffect: readonly string[];
}

const recorded = Object.entries(
  JSON.parse(readFileSync(new URL('./recordings/config-fields.json', import.meta.url), 'utf8')) as Record<
    string,
    Fields
  >,
);

const foreign = { per_layer_config: { 0: {} }, quantization_config: { bits: 4 } };
/** Fields that files, classifiers and training have, and that the sampling task decides. */
const common = [
  'architectures',
  'chunk_size_feed_forward',
  'dtype',
  'id2label',
  'is_encoder_decoder',
  'label2id',
  'problem_type',
  'output_hidden_states',
  'return_dict',
  'transformers_version',
  'initializer_range',
  'use_cache',
  'bos_token_id',
  'eos_token_id',
  'classifier_dropout',
  'hidden_dropout_prob',
  'attention_probs_dropout_prob',
  // The critic never masks later tokens; heads: see recorded-encoders.test.ts.
  'is_causal',
  'tie_word_embeddings',
];

const bert: Classification = {
  base: {
    vocab_size: 31,
    hidden_size: 16,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    intermediate_size: 24,
    max_position_embeddings: 40,
    pad_token_id: 1,
  },
  used: {
    vocab_size: 32,
    hidden_size: 32,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    intermediate_size: 28,
    max_position_embeddings: 48,
    pad_token_id: 3,
    hidden_act: 'relu',
    layer_norm_eps: 0.5,
    type_vocab_size: 3,
  },
  refused: { ...foreign, is_decoder: true, add_cross_attention: true },
  withoutEffect: common,
};

const deberta: Classification = {
  ...bert,
  base: { ...bert.base, relative_attention: true, pos_att_type: 'c2p|p2c', position_buckets: 8 },
  used: {
    ...bert.used,
    relative_attention: false,
    pos_att_type: ['c2p'],
    max_relative_positions: 9,
    position_buckets: 4,
    position_biased_input: false,
    share_att_key: true,
    norm_rel_ebd: 'layer_norm',
    pooler_hidden_act: 'relu',
    legacy: false,
  },
  refused: { ...foreign, attention_head_size: 5, conv_kernel_size: 3, embedding_size: 8, pooler_hidden_size: 8 },
  withoutEffect: [...common, 'pooler_dropout'],
};

const { hidden_act: _act, layer_norm_eps: _eps, type_vocab_size: _types, ...sizes } = bert.used;
const modernbert: Classification = {
  base: bert.base,
  used: {
    ...sizes,
    hidden_activation: 'relu',
    norm_eps: 0.5,
    attention_bias: true,
    mlp_bias: true,
    norm_bias: true,
    decoder_bias: false,
    classifier_bias: true,
    classifier_activation: 'relu',
    local_attention: 4,
    layer_types: ['sliding_attention', 'full_attention'],
    global_attn_every_n_layers: 1,
    rope_parameters: { full_attention: { rope_theta: 7 } },
    rope_scaling: { rope_theta: 8 },
    global_rope_theta: 9,
    local_rope_theta: 10,
  },
  refused: { ...foreign, head_dim: 2, partial_rotary_factor: 0.5, sliding_window: 5 },
  withoutEffect: [
    ...common,
    'attention_dropout',
    'classifier_pooling',
    'cls_token_id',
    'sep_token_id',
    'embedding_dropout',
    'mlp_dropout',
    'deterministic_flash_attn',
    'initializer_cutoff_factor',
    'sparse_prediction',
    'sparse_pred_ignore_index',
  ],
};

const distilbert: Classification = {
  base: { vocab_size: 31, dim: 16, n_layers: 2, n_heads: 4, hidden_dim: 24, max_position_embeddings: 40 },
  used: {
    vocab_size: 32,
    dim: 32,
    n_layers: 1,
    n_heads: 2,
    hidden_dim: 28,
    max_position_embeddings: 48,
    hidden_size: 32,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    pad_token_id: 3,
    activation: 'relu',
  },
  refused: foreign,
  withoutEffect: [
    ...common,
    'attention_dropout',
    'dropout',
    'qa_dropout',
    'seq_classif_dropout',
    'sinusoidal_pos_embds', // the file has the table
  ],
};

/** Tokens are in generation-rules.ts. */
const targetTokens = { pad_token_id: 5, eos_token_id: 6, decoder_start_token_id: 7 };
const withoutEffectOnTargets = [
  'architectures',
  'chunk_size_feed_forward',
  'dtype',
  'id2label',
  'label2id',
  'problem_type',
  'is_decoder',
  'output_hidden_states',
  'return_dict',
  'transformers_version',
  'use_cache',
  'bos_token_id',
  'classifier_dropout',
];
const refusedForTargets = { ...foreign, is_causal: false, is_encoder_decoder: false };

const bart: Classification = {
  base: {
    vocab_size: 31,
    d_model: 16,
    max_position_embeddings: 24,
    encoder_layers: 1,
    decoder_layers: 1,
    encoder_attention_heads: 4,
    decoder_attention_heads: 4,
    encoder_ffn_dim: 20,
    decoder_ffn_dim: 20,
    pad_token_id: 1,
    eos_token_id: 2,
    decoder_start_token_id: 2,
    forced_eos_token_id: 2,
  },
  used: {
    ...targetTokens,
    forced_eos_token_id: 8,
    vocab_size: 32,
    d_model: 32,
    max_position_embeddings: 25,
    encoder_layers: 2,
    decoder_layers: 2,
    encoder_attention_heads: 2,
    decoder_attention_heads: 2,
    encoder_ffn_dim: 24,
    decoder_ffn_dim: 24,
    activation_function: 'relu',
    scale_embedding: true,
    hidden_size: 32,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    tie_word_embeddings: false,
  },
  refused: refusedForTargets,
  withoutEffect: [
    ...withoutEffectOnTargets,
    'init_std',
    'dropout',
    'attention_dropout',
    'activation_dropout',
    'encoder_layerdrop',
    'decoder_layerdrop',
  ],
};

const t5: Classification = {
  base: { vocab_size: 31, d_model: 16, d_kv: 4, d_ff: 20, num_layers: 1, num_decoder_layers: 1, num_heads: 4 },
  used: {
    ...targetTokens,
    vocab_size: 32,
    d_model: 32,
    d_kv: 8,
    d_ff: 24,
    num_layers: 2,
    num_decoder_layers: 2,
    num_heads: 2,
    layer_norm_epsilon: 0.5,
    feed_forward_proj: 'silu',
    dense_act_fn: 'silu',
    relative_attention_num_buckets: 16,
    relative_attention_max_distance: 64,
    hidden_size: 32,
    num_attention_heads: 2,
    num_hidden_layers: 2,
    head_dim: 8,
    scale_decoder_outputs: false,
    tie_word_embeddings: false,
    is_gated_act: true,
  },
  refused: refusedForTargets,
  withoutEffect: [...withoutEffectOnTargets, 'dropout_rate', 'initializer_factor'],
};
const { scale_decoder_outputs: _scale, tie_word_embeddings: _tie, ...shared } = t5.used;
const usedByMt5 = { ...shared, is_gated_act: false };

const classifications: Record<string, Classification> = {
  bert,
  roberta: bert,
  'xlm-roberta': bert,
  camembert: bert,
  albert: {
    ...bert,
    used: { ...bert.used, embedding_size: 8, num_hidden_groups: 2, inner_group_num: 2 },
    refused: foreign,
    withoutEffect: [...common, 'classifier_dropout_prob'],
  },
  distilbert,
  electra: {
    ...bert,
    used: { ...bert.used, embedding_size: 8 },
    withoutEffect: [...common, 'summary_activation', 'summary_last_dropout', 'summary_type', 'summary_use_proj'],
  },
  'deberta-v2': deberta,
  modernbert,
  bart,
  marian: {
    ...bart,
    base: { ...bart.base, share_encoder_decoder_embeddings: false },
    used: { ...bart.used, share_encoder_decoder_embeddings: true, decoder_vocab_size: 30 },
  },
  pegasus: bart,
  t5,
  mt5: {
    ...t5,
    used: usedByMt5,
    withoutEffect: [...t5.withoutEffect, 'scale_decoder_outputs', 'tie_word_embeddings'],
  },
};

/** All that a config.json decides about a model. */
function modelOf(json: ConfigJson): unknown {
  if (!['bart', 'marian', 'pegasus', 't5', 'mt5'].includes(String(json.model_type))) return encoderConfigFromJson(json);
  const architecture = encoderDecoderFor(json);
  const { sourceLimit, targetLimit } = architecture;
  const graph = Buffer.from(serialize(scoreGraph(architecture))).toString('latin1');
  return { graph, sourceLimit, targetLimit, rules: generationRules(architecture) };
}

/** Some other value. */
function another(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  return 'something else';
}

describe.each(recorded)('%s', (type, { fields, other_names: otherNames, undeclared }) => {
  const { used, refused, withoutEffect, base } = classifications[type];
  const json = { model_type: type, ...base };
  const all = [...Object.keys(fields), ...Object.keys(otherNames), ...undeclared];

  test('every field is in one class', () => {
    const classified = [...Object.keys(used), ...Object.keys(refused), ...withoutEffect];
    expect(classified.filter((field, i) => classified.indexOf(field) !== i)).toEqual([]);
    expect(all.filter((field) => !classified.includes(field))).toEqual([]);
    // Fields that only relatives have may be in a list, but not among those that are used.
    expect(Object.keys(used).filter((field) => !all.includes(field))).toEqual([]);
  });

  test('a used field changes the model, one without effect does not, others are refused', () => {
    const plain = modelOf(json);
    const unused = Object.entries(used).filter(([field, value]) => {
      try {
        expect(modelOf({ ...json, [field]: value })).not.toEqual(plain);
        return false;
      } catch {
        return true;
      }
    });
    expect(unused).toEqual([]);
    for (const field of withoutEffect.filter((name) => all.includes(name)))
      expect(modelOf({ ...json, [field]: another(fields[field]) })).toEqual(plain);
    for (const [field, value] of Object.entries(refused).filter(([name]) => all.includes(name)))
      expect(() => modelOf({ ...json, [field]: value })).toThrow(`'${type}' model: ${field} is `);
  });
});
