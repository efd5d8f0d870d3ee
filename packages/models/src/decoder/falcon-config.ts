// Falcon's configuration under the names of Hugging Face's config.json, checked when it is read.
import { activationNames, type ActivationName } from '../layers/activations.js';
import { ConfigFields, type ConfigJson } from '@bowyer/checkpoints';
import { rotaryFrequencies, type RotaryFrequencies } from '../layers/rotary-frequencies.js';
import { savedConfig } from '../architecture/saved-config.js';

export interface FalconConfig {
  vocab_size: number;
  hidden_size: number;
  ffn_hidden_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  /** Heads of keys and values: one with `multi_query`, all without, `num_kv_heads` in the new decoder architecture. */
  keyValueHeads: number;
  activation: ActivationName;
  layer_norm_epsilon: number;
  initializer_range: number;
  tie_word_embeddings: boolean;
  /** Biases of the linear layers. */
  bias: boolean;
  /** What the attention and the MLP of a block read: one norm of its input, two, or the MLP the norm of what the attention has added. */
  norms: 'shared' | 'separate' | 'sequential';
  /** Dropout probabilities. */
  attention_dropout: number;
  hidden_dropout: number;
  rotary: RotaryFrequencies;
  new_decoder_architecture: boolean;
  /** The file as it was read, written again when the model is saved. */
  json: ConfigJson;
}

/** What Hugging Face's FalconConfig takes for a field that the file leaves out. */
const defaults: ConfigJson = {
  vocab_size: 65024,
  hidden_size: 4544,
  num_hidden_layers: 32,
  num_attention_heads: 71,
  layer_norm_epsilon: 1e-5,
  initializer_range: 0.02,
  hidden_dropout: 0,
  attention_dropout: 0,
  alibi: false,
  new_decoder_architecture: false,
  multi_query: true,
  parallel_attn: true,
  bias: false,
  max_position_embeddings: 2048,
  rope_theta: 10000,
  activation: 'gelu',
  tie_word_embeddings: true,
};

/** A complete config from the contents of config.json. Throws `UnsupportedConfigError`, which names the field. */
export function falconConfig(file: ConfigJson): FalconConfig {
  // The name of the first files, which wins over the other.
  const json = file.n_embed === undefined || file.n_embed === null ? file : { ...file, hidden_size: file.n_embed };
  const hidden = (json.hidden_size as number | undefined) ?? defaults.hidden_size;
  const heads = (json.num_attention_heads as number | undefined) ?? defaults.num_attention_heads;
  const inner = 4 * (hidden as number);
  const own = { ...defaults, ffn_hidden_size: inner, num_kv_heads: heads, num_ln_in_parallel_attn: 2 };
  const given = Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null));
  const fields = new ConfigFields('falcon', given, own);
  fields.refuse('quantization_config');
  if (fields.flag('alibi'))
    throw fields.error('alibi', 'is true: attention with linear biases is not supported, only rotary positions are');
  const num_attention_heads = fields.count('num_attention_heads');
  const hidden_size = fields.multiple('hidden_size', 'num_attention_heads');
  const isNew = fields.flag('new_decoder_architecture');
  const keyValueHeads = isNew ? fields.count('num_kv_heads') : fields.flag('multi_query') ? 1 : num_attention_heads;
  if (num_attention_heads % keyValueHeads !== 0)
    throw fields.error(
      'num_kv_heads',
      `is ${keyValueHeads}, which does not divide num_attention_heads ${num_attention_heads}`,
    );
  return {
    vocab_size: fields.count('vocab_size'),
    hidden_size,
    ffn_hidden_size: fields.count('ffn_hidden_size'),
    num_hidden_layers: fields.layers('num_hidden_layers'),
    num_attention_heads,
    keyValueHeads,
    activation: fields.choice('activation', activationNames),
    layer_norm_epsilon: fields.real('layer_norm_epsilon'),
    initializer_range: fields.real('initializer_range'),
    tie_word_embeddings: fields.flag('tie_word_embeddings'),
    bias: fields.flag('bias'),
    norms: normsOf(fields, isNew),
    attention_dropout: fields.real('attention_dropout'),
    hidden_dropout: fields.real('hidden_dropout'),
    rotary: rotaryFrequencies('falcon', json, {
      rotaryDims: hidden_size / num_attention_heads,
      defaultBase: fields.real('rope_theta'),
      trainedLength: fields.count('max_position_embeddings'),
    }),
    new_decoder_architecture: isNew,
    json: savedConfig({ ...json, architectures: ['FalconForCausalLM'] }),
  };
}

/** The new decoder architecture is always parallel; `parallel_attn` is of the old one. */
function normsOf(fields: ConfigFields, isNew: boolean): FalconConfig['norms'] {
  if (isNew) return fields.count('num_ln_in_parallel_attn') === 1 ? 'shared' : 'separate';
  return fields.flag('parallel_attn') ? 'shared' : 'sequential';
}
