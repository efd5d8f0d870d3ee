// GPT-2's configuration under the names of Hugging Face's config.json, checked when it is read.

/** What config.json says of a GPT-2; the field names are the file's. */
export interface Gpt2Config {
  model_type: 'gpt2';
  vocab_size: number;
  /** Longest context in tokens: rows of the position embedding. */
  n_positions: number;
  n_embd: number;
  n_layer: number;
  n_head: number;
  /** Width of the feed-forward layer; null means 4 · n_embd. */
  n_inner: number | null;
  activation_function: 'gelu_new' | 'gelu' | 'relu';
  layer_norm_epsilon: number;
  initializer_range: number;
  /** Whether the LM head is the token embedding itself. */
  tie_word_embeddings: boolean;
  /** Dropout probabilities, used only where a model is made with `dropout: true`. */
  attn_pdrop: number;
  embd_pdrop: number;
  resid_pdrop: number;
}

/** What Hugging Face's GPT2Config takes for a field that the file leaves out. */
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

const activations: readonly string[] = ['gelu_new', 'gelu', 'relu'];

/** A complete config from the contents of config.json; fields that Bowyer has no use for are dropped. */
export function gpt2Config(json: Readonly<Record<string, unknown>>): Gpt2Config {
  const type = json.model_type ?? 'gpt2';
  if (type !== 'gpt2')
    throw new Error(`gpt2Config: model_type is '${String(type)}'; this file describes another architecture`);
  const config: Gpt2Config = {
    ...defaults,
    vocab_size: wholeNumber(json, 'vocab_size'),
    n_positions: wholeNumber(json, 'n_positions'),
    n_embd: wholeNumber(json, 'n_embd'),
    n_layer: wholeNumber(json, 'n_layer'),
    n_head: wholeNumber(json, 'n_head'),
    n_inner: json.n_inner === undefined || json.n_inner === null ? null : wholeNumber(json, 'n_inner'),
    layer_norm_epsilon: real(json, 'layer_norm_epsilon'),
    initializer_range: real(json, 'initializer_range'),
    attn_pdrop: real(json, 'attn_pdrop'),
    embd_pdrop: real(json, 'embd_pdrop'),
    resid_pdrop: real(json, 'resid_pdrop'),
    tie_word_embeddings: json.tie_word_embeddings !== false,
    activation_function: activation(json),
  };
  if (config.n_embd % config.n_head !== 0)
    throw new Error(
      `gpt2Config: n_embd ${config.n_embd} is not a multiple of n_head ${config.n_head}; each head needs a whole number of columns`,
    );
  return config;
}

type NumericField = { [K in keyof Gpt2Config]: Gpt2Config[K] extends number | null ? K : never }[keyof Gpt2Config];

function wholeNumber(json: Readonly<Record<string, unknown>>, field: NumericField): number {
  const value = json[field] ?? defaults[field];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
    throw new Error(`gpt2Config: ${field} must be a whole number from 1 up, not ${JSON.stringify(value)}`);
  return value;
}

function real(json: Readonly<Record<string, unknown>>, field: NumericField): number {
  const value = json[field] ?? defaults[field];
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw new Error(`gpt2Config: ${field} must be a number from 0 up, not ${JSON.stringify(value)}`);
  return value;
}

function activation(json: Readonly<Record<string, unknown>>): Gpt2Config['activation_function'] {
  const value = json.activation_function ?? defaults.activation_function;
  if (typeof value !== 'string' || !activations.includes(value))
    throw new Error(
      `gpt2Config: activation_function ${JSON.stringify(value)} is not supported; known: ${activations.join(', ')}`,
    );
  return value as Gpt2Config['activation_function'];
}
