// Reads and checks GPT-2's configuration, under the field names of Hugging Face's config.json.
import { activationNames, type ActivationName } from '../layers/activations.js';
import { ConfigFields, type ConfigJson } from '@bowyer/checkpoints';

/** The config.json of a GPT-2 model; the fields have the names that they have in the file. */
export interface Gpt2Config {
  model_type: 'gpt2';
  vocab_size: number;
  /** The longest context in tokens, which is the number of rows of the position embedding. */
  n_positions: number;
  n_embd: number;
  n_layer: number;
  n_head: number;
  /** The width of the feed-forward layer; null means 4 · n_embd. */
  n_inner: number | null;
  activation_function: ActivationName;
  layer_norm_epsilon: number;
  initializer_range: number;
  /** Whether the LM head is tied to the token embedding. */
  tie_word_embeddings: boolean;
  /** Dropout probabilities, used only where a model is created with `dropout: true`. */
  attn_pdrop: number;
  embd_pdrop: number;
  resid_pdrop: number;
  /** Special tokens, if the file has them: an id, a list of ids, or null. */
  bos_token_id?: unknown;
  eos_token_id?: unknown;
}

/** Alternative names of fields, with those used here; as in Hugging Face's class, the alternative takes precedence. */
const otherNames = {
  hidden_size: 'n_embd',
  max_position_embeddings: 'n_positions',
  num_attention_heads: 'n_head',
  num_hidden_layers: 'n_layer',
};

/** The defaults of Hugging Face's GPT2Config for fields that the file omits. */
const defaults: Gpt2Config = {
  model_type: 'gpt2',
  vocab_size: 50257,
  n_positions: 1024,
  n_embd: 768,
  n_layer: 12,
  n_head: 12,
  n_inner: null,
  activation_function: 'gelu_new',
  layer_norm_epsilon: 1e-5,
  initializer_range: 0.02,
  tie_word_embeddings: true,
  attn_pdrop: 0.1,
  embd_pdrop: 0.1,
  resid_pdrop: 0.1,
};

/**
 * Adds the defaults to a config.json and checks it; fields that this package does not use are dropped.
 *
 * @throws UnsupportedConfigError, which names the field
 */
export function gpt2Config(file: ConfigJson): Gpt2Config {
  const json: ConfigJson = {
    ...file,
    ...Object.fromEntries(
      Object.entries(otherNames).flatMap(([other, name]) => (other in file ? [[name, file[other]]] : [])),
    ),
  };
  const fields = new ConfigFields('gpt2', json, { ...defaults });
  if ((json.model_type ?? 'gpt2') !== 'gpt2')
    throw fields.error('model_type', `is ${JSON.stringify(json.model_type)}; gpt2Config reads gpt2's files`);
  fields.refuse('quantization_config');
  // The values that follow are the only supported ones: variants of GPT-2's attention that transformers has are refused.
  fields.refuse('scale_attn_weights', true);
  fields.refuse('scale_attn_by_inverse_layer_idx', false);
  fields.refuse('add_cross_attention', false);
  const config: Gpt2Config = {
    model_type: 'gpt2',
    vocab_size: fields.count('vocab_size'),
    n_positions: fields.count('n_positions'),
    n_embd: fields.count('n_embd'),
    n_layer: fields.layers('n_layer'),
    n_head: fields.count('n_head'),
    n_inner: fields.value('n_inner') === undefined ? null : fields.count('n_inner'),
    activation_function: fields.choice('activation_function', activationNames),
    layer_norm_epsilon: fields.real('layer_norm_epsilon'),
    initializer_range: fields.real('initializer_range'),
    tie_word_embeddings: fields.flag('tie_word_embeddings'),
    attn_pdrop: fields.real('attn_pdrop'),
    embd_pdrop: fields.real('embd_pdrop'),
    resid_pdrop: fields.real('resid_pdrop'),
    ...('bos_token_id' in json && { bos_token_id: json.bos_token_id }),
    ...('eos_token_id' in json && { eos_token_id: json.eos_token_id }),
  };
  if (config.n_embd % config.n_head !== 0)
    throw fields.error('n_embd', `is ${config.n_embd}, not a multiple of n_head ${config.n_head}`);
  return config;
}
