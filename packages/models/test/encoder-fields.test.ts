// Tests that every field of transformers 5.18's config classes for encoders and encoder-decoders either changes the model, or is
// refused by name, or is listed below as without effect. record-transformers.py recorded the fields.
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
  /** Fields that the code reads without declaring them. */
  undeclared: string[];
}

const recorded = JSON.parse(
  readFileSync(new URL('./recordings/config-fields.json', import.meta.url), 'utf8'),
) as Record<string, Fields>;

/** These fields concern files, classifiers and training. The critic never masks later tokens. */
const ofAll = `architectures chunk_size_feed_forward dtype id2label label2id problem_type output_hidden_states return_dict
  transformers_version use_cache bos_token_id classifier_dropout`;
const ofEncoders = `${ofAll} is_encoder_decoder initializer_range eos_token_id hidden_dropout_prob attention_probs_dropout_prob
  is_causal tie_word_embeddings`;
const ofTargets = `${ofAll} is_decoder`;
const ofBart = `${ofTargets} dropout attention_dropout activation_dropout encoder_layerdrop decoder_layerdrop`;
const ofT5 = `${ofTargets} dropout_rate initializer_factor`;

const bert = {
  vocab_size: 31,
  hidden_size: 16,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  intermediate_size: 24,
  max_position_embeddings: 40,
  pad_token_id: 1,
};
const bart = {
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
};
const t5 = { vocab_size: 31, d_model: 16, d_kv: 4, d_ff: 20, num_layers: 1, num_decoder_layers: 1, num_heads: 4 };

/** A valid config.json of each type, and the names of the fields without effect. */
const types: Record<string, { base: ConfigJson; idle: string }> = {
  bert: { base: bert, idle: ofEncoders },
  roberta: { base: bert, idle: ofEncoders },
  'xlm-roberta': { base: bert, idle: ofEncoders },
  camembert: { base: bert, idle: ofEncoders },
  albert: { base: bert, idle: `${ofEncoders} classifier_dropout_prob` },
  distilbert: {
    base: { vocab_size: 31, dim: 16, n_layers: 2, n_heads: 4, hidden_dim: 24, max_position_embeddings: 40 },
    idle: `${ofEncoders} attention_dropout dropout qa_dropout seq_classif_dropout sinusoidal_pos_embds`, // the file contains the table
  },
  electra: {
    base: bert,
    idle: `${ofEncoders} summary_activation summary_last_dropout summary_type summary_use_proj`,
  },
  'deberta-v2': {
    base: { ...bert, relative_attention: true, pos_att_type: 'c2p|p2c', position_buckets: 8 },
    idle: `${ofEncoders} pooler_dropout`,
  },
  modernbert: {
    base: bert,
    idle: `${ofEncoders} attention_dropout classifier_pooling cls_token_id sep_token_id embedding_dropout mlp_dropout
      deterministic_flash_attn initializer_cutoff_factor sparse_prediction sparse_pred_ignore_index`,
  },
  bart: { base: bart, idle: ofBart },
  marian: { base: { ...bart, share_encoder_decoder_embeddings: false }, idle: ofBart },
  pegasus: { base: bart, idle: ofBart },
  t5: { base: t5, idle: ofT5 },
  mt5: { base: t5, idle: `${ofT5} scale_decoder_outputs tie_word_embeddings` },
};

/** Returns everything that a config.json determines about a model. */
function modelOf(json: ConfigJson): unknown {
  if (!['bart', 'marian', 'pegasus', 't5', 'mt5'].includes(String(json.model_type))) return encoderConfigFromJson(json);
  const architecture = encoderDecoderFor(json);
  const { sourceLimit, targetLimit } = architecture;
  const graph = Buffer.from(serialize(scoreGraph(architecture))).toString('latin1');
  return { graph, sourceLimit, targetLimit, rules: generationRules(architecture) };
}

/** Returns a different value of the same type. */
function another(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  return 'something else';
}

describe.each(Object.entries(recorded))('%s', (type, { fields, other_names: otherNames, undeclared }) => {
  const { base, idle } = types[type];
  const json: ConfigJson = { model_type: type, ...base };
  const all = [...Object.keys(fields), ...Object.keys(otherNames), ...undeclared];

  test('a field changes the model or is refused by its name, unless it is without effect', () => {
    const plain = JSON.stringify(modelOf(json));
    const ignored = all.filter((field) => {
      const values = [another(json[field] ?? fields[field]), 'something else', 'layer_norm', false, { rope_theta: 8 }];
      return values.every((value) => {
        try {
          return JSON.stringify(modelOf({ ...json, [field]: value })) === plain;
        } catch (error) {
          return ![field, otherNames[field]].some((name) => name && (error as Error).message.includes(name));
        }
      });
    });
    expect(ignored.sort()).toEqual(
      idle
        .split(/\s+/)
        .filter((field) => all.includes(field))
        .sort(),
    );
  });
});
