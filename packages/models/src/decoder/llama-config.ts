// Configurations of the Llama family under the names of Hugging Face's config.json, checked when they are read.
import { activationNames, type ActivationName } from '../layers/activations.js';
import { ConfigFields, type ConfigJson } from '@bowyer/checkpoints';
import { ropeFields, rotaryFrequencies, type RotaryFrequencies } from '../layers/rotary-frequencies.js';
import { savedConfig } from '../architecture/saved-config.js';

/** What the forward pass needs; the field names are the file's where the file has one. */
export interface LlamaConfig {
  vocab_size: number;
  hidden_size: number;
  intermediate_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  num_key_value_heads: number;
  head_dim: number;
  hidden_act: ActivationName;
  rms_norm_eps: number;
  initializer_range: number;
  /** Whether the LM head is the token embedding itself. */
  tie_word_embeddings: boolean;
  /** Dropout probability of the attention weights. */
  attention_dropout: number;
  mlp_bias: boolean;
  /** Biases of the query, key and value projections. */
  queryBias: boolean;
  outputBias: boolean;
  /** RMS normalization of each head's query and key before they turn (Qwen 3). */
  queryKeyNorm: boolean;
  rotary: RotaryFrequencies;
  /** Per layer: tokens that a token attends to, itself included; undefined where that is all. */
  attentionWindows: (number | undefined)[];
  /** The file as it was read, written again when the model is saved. */
  json: ConfigJson;
}

/** What sets the members of the family apart, and what Hugging Face's config classes take for absent fields. */
interface Family {
  architecture: string;
  defaults: ConfigJson;
  /** Of query, key and value alone (Qwen 2), or as attention_bias specifies, of all four projections. */
  biases: 'query-key-value' | 'attention_bias' | 'none';
  queryKeyNorm: boolean;
  /** Which layers have the sliding window if the file has one: all, those from max_window_layers on, or none. */
  window: 'every-layer' | 'upper-layers' | 'none';
}

const common: ConfigJson = {
  hidden_size: 4096,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  hidden_act: 'silu',
  initializer_range: 0.02,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: false,
  rope_theta: 10000,
  attention_bias: false,
  attention_dropout: 0,
  mlp_bias: false,
};

const qwen: ConfigJson = {
  ...common,
  vocab_size: 151936,
  intermediate_size: 22016,
  num_key_value_heads: 32,
  max_position_embeddings: 32768,
  use_sliding_window: false,
  sliding_window: 4096,
  max_window_layers: 28,
};

/** By `model_type`. SmolLM and TinyLlama are of type llama. */
export const llamaFamilies: Readonly<Record<string, Family>> = {
  llama: {
    architecture: 'LlamaForCausalLM',
    defaults: { ...common, vocab_size: 32000, intermediate_size: 11008, max_position_embeddings: 2048 },
    biases: 'attention_bias',
    queryKeyNorm: false,
    window: 'none',
  },
  mistral: {
    architecture: 'MistralForCausalLM',
    defaults: {
      ...common,
      vocab_size: 32000,
      intermediate_size: 14336,
      num_key_value_heads: 8,
      max_position_embeddings: 131072,
      sliding_window: 4096,
    },
    biases: 'none',
    queryKeyNorm: false,
    window: 'every-layer',
  },
  qwen2: {
    architecture: 'Qwen2ForCausalLM',
    defaults: qwen,
    biases: 'query-key-value',
    queryKeyNorm: false,
    window: 'upper-layers',
  },
  qwen3: {
    architecture: 'Qwen3ForCausalLM',
    defaults: { ...qwen, head_dim: 128 },
    biases: 'attention_bias',
    queryKeyNorm: true,
    window: 'upper-layers',
  },
};

/** A complete config from the contents of config.json. Throws `UnsupportedConfigError`, which names the field. */
export function llamaConfig(json: ConfigJson): LlamaConfig {
  const type = String(json.model_type);
  if (!(type in llamaFamilies))
    throw new Error(
      `llamaConfig: model_type is '${type}'; this file describes ${Object.keys(llamaFamilies).join(', ')}`,
    );
  const family = llamaFamilies[type];
  const fields = new ConfigFields(type, json, family.defaults);
  for (const field of ['quantization_config', 'layer_scale']) fields.refuse(field);
  fields.refuse('partial_rotary_factor', 1);
  const { name, scaling } = ropeFields(type, json);
  new ConfigFields(type, scaling, {}, `${name}.`).refuse('partial_rotary_factor', 1);
  const shape = attentionShape(fields);
  if (type !== 'llama') fields.refuse('mlp_bias', false);
  const allBiases = family.biases === 'attention_bias' && fields.flag('attention_bias');
  if (family.biases !== 'attention_bias') fields.refuse('attention_bias', family.biases === 'query-key-value', false);
  const rotary = rotaryFrequencies(type, json, {
    rotaryDims: shape.head_dim,
    defaultBase: family.defaults.rope_theta as number,
    trainedLength: fields.count('max_position_embeddings'),
  });
  const num_hidden_layers = fields.layers('num_hidden_layers');
  return {
    ...shape,
    vocab_size: fields.count('vocab_size'),
    intermediate_size: fields.count('intermediate_size'),
    num_hidden_layers,
    hidden_act: fields.choice('hidden_act', activationNames),
    rms_norm_eps: fields.real('rms_norm_eps'),
    initializer_range: fields.real('initializer_range'),
    tie_word_embeddings: fields.flag('tie_word_embeddings'),
    attention_dropout: fields.real('attention_dropout'),
    mlp_bias: fields.flag('mlp_bias'),
    queryBias: allBiases || family.biases === 'query-key-value',
    outputBias: allBiases,
    queryKeyNorm: family.queryKeyNorm,
    rotary,
    attentionWindows: attentionWindows(family, fields, num_hidden_layers, rotary.contextLength),
    json: savedConfig({ ...json, architectures: [family.architecture] }),
  };
}

function attentionShape(fields: ConfigFields) {
  const num_attention_heads = fields.count('num_attention_heads');
  const hasHeadDim = fields.value('head_dim') !== undefined;
  const hidden_size = hasHeadDim ? fields.count('hidden_size') : fields.multiple('hidden_size', 'num_attention_heads');
  const num_key_value_heads =
    fields.value('num_key_value_heads') === undefined ? num_attention_heads : fields.count('num_key_value_heads');
  if (num_attention_heads % num_key_value_heads !== 0)
    throw fields.error(
      'num_key_value_heads',
      `is ${num_key_value_heads}, which does not divide num_attention_heads ${num_attention_heads}`,
    );
  const head_dim = hasHeadDim ? fields.count('head_dim') : hidden_size / num_attention_heads;
  if (head_dim % 2 !== 0) throw fields.error('head_dim', `is ${head_dim}; rotary embedding needs an even number`);
  return { hidden_size, num_attention_heads, num_key_value_heads, head_dim };
}

/** A window as wide as the context is none. */
function attentionWindows(family: Family, fields: ConfigFields, layers: number, contextLength: number) {
  const isOn =
    family.window === 'every-layer' || (family.window === 'upper-layers' && fields.flag('use_sliding_window'));
  const size = isOn && fields.value('sliding_window') !== undefined ? fields.count('sliding_window') : undefined;
  const window = size !== undefined && size < contextLength ? size : undefined;
  const kinds = family.window === 'none' ? undefined : fields.value('layer_types');
  if (kinds !== undefined && !(Array.isArray(kinds) && kinds.length === layers))
    throw fields.error('layer_types', `must list the kind of each of the ${layers} layers`);
  const firstWindow = family.window === 'upper-layers' ? Number(fields.value('max_window_layers')) : 0;
  return Array.from({ length: layers }, (_, layer) => {
    const kind: unknown = kinds
      ? (kinds as unknown[])[layer]
      : layer >= firstWindow
        ? 'sliding_attention'
        : 'full_attention';
    if (kind !== 'sliding_attention' && kind !== 'full_attention')
      throw fields.error(
        'layer_types',
        `has ${JSON.stringify(kind)}, which is not supported; known: full_attention, sliding_attention`,
      );
    if (kinds && kind === 'sliding_attention' && size === undefined)
      throw fields.error('layer_types', `has sliding_attention, but sliding_window is not set`);
    return kind === 'sliding_attention' ? window : undefined;
  });
}
