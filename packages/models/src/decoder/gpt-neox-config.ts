// GPT-NeoX's configuration (Pythia and others) under the names of Hugging Face's config.json, checked when it is read.
import { activationNames, type ActivationName } from '../layers/activations.js';
import { ConfigFields, type ConfigJson } from '@bowyer/checkpoints';
import { ropeFields, rotaryFrequencies, type RotaryFrequencies } from '../layers/rotary-frequencies.js';
import { savedConfig } from '../architecture/saved-config.js';

export interface GptNeoXConfig {
  vocab_size: number;
  hidden_size: number;
  intermediate_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  hidden_act: ActivationName;
  layer_norm_eps: number;
  initializer_range: number;
  tie_word_embeddings: boolean;
  /** Attention and MLP both read the block's input, instead of one after the other. */
  use_parallel_residual: boolean;
  attention_bias: boolean;
  /** Dropout probabilities. */
  attention_dropout: number;
  hidden_dropout: number;
  rotary: RotaryFrequencies;
  /** The file as it was read, written again when the model is saved. */
  json: ConfigJson;
}

/** What Hugging Face's GPTNeoXConfig takes for a field that the file leaves out. */
const defaults: ConfigJson = {
  vocab_size: 50432,
  hidden_size: 6144,
  intermediate_size: 24576,
  num_hidden_layers: 44,
  num_attention_heads: 64,
  hidden_act: 'gelu',
  rotary_pct: 0.25,
  rotary_emb_base: 10000,
  attention_dropout: 0,
  hidden_dropout: 0,
  max_position_embeddings: 2048,
  initializer_range: 0.02,
  layer_norm_eps: 1e-5,
  tie_word_embeddings: false,
  use_parallel_residual: true,
  attention_bias: true,
};

/** A complete config from the contents of config.json. Throws `UnsupportedConfigError`, which names the field. */
export function gptNeoXConfig(json: ConfigJson): GptNeoXConfig {
  const fields = new ConfigFields('gpt_neox', json, defaults);
  fields.refuse('quantization_config');
  const num_attention_heads = fields.count('num_attention_heads');
  const hidden_size = fields.multiple('hidden_size', 'num_attention_heads');
  // Newer files have the share and the base among the rope_parameters; Hugging Face's class reads no other fields of them.
  const { rope_theta: _, ...ropeJson } = json;
  const { name, scaling } = ropeFields('gpt_neox', json);
  const shares =
    'partial_rotary_factor' in scaling
      ? new ConfigFields('gpt_neox', { rotary_pct: scaling.partial_rotary_factor }, {}, `${name}.`)
      : fields;
  const rotaryDims = Math.floor((hidden_size / num_attention_heads) * shares.real('rotary_pct'));
  if (rotaryDims < 2 || rotaryDims % 2 !== 0 || rotaryDims > hidden_size / num_attention_heads)
    throw fields.error(
      'rotary_pct',
      `makes ${rotaryDims} of a head's ${hidden_size / num_attention_heads} columns rotate; the number must be even and at least 2`,
    );
  return {
    vocab_size: fields.count('vocab_size'),
    hidden_size,
    intermediate_size: fields.count('intermediate_size'),
    num_hidden_layers: fields.layers('num_hidden_layers'),
    num_attention_heads,
    hidden_act: fields.choice('hidden_act', activationNames),
    layer_norm_eps: fields.real('layer_norm_eps'),
    initializer_range: fields.real('initializer_range'),
    tie_word_embeddings: fields.flag('tie_word_embeddings'),
    use_parallel_residual: fields.flag('use_parallel_residual'),
    attention_bias: fields.flag('attention_bias'),
    attention_dropout: fields.real('attention_dropout'),
    hidden_dropout: fields.real('hidden_dropout'),
    rotary: rotaryFrequencies('gpt_neox', ropeJson, {
      rotaryDims,
      defaultBase: fields.real('rotary_emb_base'),
      trainedLength: fields.count('max_position_embeddings'),
    }),
    json: savedConfig({ ...json, architectures: ['GPTNeoXForCausalLM'] }),
  };
}
