// Describes Gemma, Gemma 2 and the text model of Gemma 3, which have norms to whose weight 1 is added, scaled embeddings, and
// feed-forward layers with a GELU gate.
// Sources: Gemma Team 2024, arXiv:2403.08295 and arXiv:2408.00118; 2025, arXiv:2503.19786.
import type { ConfigJson } from '@bowyer/checkpoints';
import type { Family, FamilyConfig } from '../family.js';
import { plainDecoder, type AttentionDeparture, type BlockNormNames, type Departures } from '../plain-decoder.js';

const defaults: ConfigJson = {
  hidden_act: 'gelu_pytorch_tanh',
  initializer_range: 0.02,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  attention_bias: false,
  attention_dropout: 0,
};

/** The names of a block's norms in Gemma 2 and later, of inputs and outputs of attention and feed-forward layer. */
export const outputNorms: BlockNormNames = {
  mixerInput: 'input_layernorm',
  mixerOutput: 'post_attention_layernorm',
  feedForwardInput: 'pre_feedforward_layernorm',
  feedForwardOutput: 'post_feedforward_layernorm',
};

function build(config: FamilyConfig, attention: (layer: number) => AttentionDeparture, others: Departures = {}) {
  const { fields, sizes } = config;
  fields.refuse('use_bidirectional_attention', false);
  const bias = fields.flag('attention_bias');
  return plainDecoder(config, {
    norm: { kind: 'rms-offset' },
    embedding: { factor: Math.sqrt(sizes.width) },
    ...others,
    attention: (layer) => ({ bias, ...attention(layer) }),
  });
}

/** Returns the tanh approximation of GELU for configs of the first release, which call it "gelu"; otherwise undefined. */
const gelu = ({ json }: FamilyConfig) => (json.hidden_act === 'gelu' ? 'gelu_pytorch_tanh' : undefined);

export const gemma: Family = {
  architecture: 'GemmaForCausalLM',
  defaults: {
    ...defaults,
    vocab_size: 256000,
    hidden_size: 3072,
    intermediate_size: 24576,
    num_hidden_layers: 28,
    num_attention_heads: 16,
    num_key_value_heads: 16,
    head_dim: 256,
    max_position_embeddings: 8192,
  },
  build: (config) => build(config, () => ({}), { feedForward: { activation: gelu(config) } }),
};

/** Returns the kind of each layer; if the config does not list them, all but every `pattern`-th layer have a sliding window. */
export const slidingKinds = (config: FamilyConfig, pattern: number) =>
  config.layerKinds((layer) => (layer + 1) % pattern !== 0);

const scaleOf = ({ fields }: FamilyConfig) => 1 / Math.sqrt(fields.real('query_pre_attn_scalar'));

export const gemma2: Family = {
  architecture: 'Gemma2ForCausalLM',
  defaults: {
    ...defaults,
    vocab_size: 256000,
    hidden_size: 2304,
    intermediate_size: 9216,
    num_hidden_layers: 26,
    num_attention_heads: 8,
    num_key_value_heads: 4,
    head_dim: 256,
    max_position_embeddings: 8192,
    query_pre_attn_scalar: 256,
    sliding_window: 4096,
    final_logit_softcapping: 30,
    attn_logit_softcapping: 50,
  },
  aliases: { hidden_activation: 'hidden_act' },
  ignores: () => ['hidden_act'],
  build(config) {
    const rotary = config.rotary();
    const windows = config.windows(slidingKinds(config, 2), rotary.contextLength);
    const [scale, softcap] = [scaleOf(config), config.optionalReal('attn_logit_softcapping')];
    return build(config, (layer) => ({ scale, softcap, window: windows[layer] }), {
      rotary,
      norms: outputNorms,
      head: { softcap: config.optionalReal('final_logit_softcapping') },
    });
  },
};

export const gemma3: Family = {
  architecture: 'Gemma3ForCausalLM',
  defaults: {
    ...gemma2.defaults,
    vocab_size: 262208,
    max_position_embeddings: 131072,
    sliding_window_pattern: 6,
    final_logit_softcapping: null,
  },
  aliases: { hidden_activation: 'hidden_act' },
  ignores: () => ['hidden_act'],
  build(config) {
    const { fields } = config;
    const rotaries = config.rotaryByKind({
      full_attention: config.realOr('rope_theta', 1e6),
      sliding_attention: config.realOr('rope_local_base_freq', 1e4),
    });
    const { contextLength } = rotaries.full_attention;
    const kinds = slidingKinds(config, fields.count('sliding_window_pattern'));
    const windows = config.windows(kinds, contextLength);
    const scale = scaleOf(config);
    const attention = (layer: number): AttentionDeparture => ({
      scale,
      queryKeyNorm: 'head',
      rotary: rotaries[kinds[layer]],
      window: windows[layer],
    });
    // attn_logit_softcapping is not read: Hugging Face's Gemma 3 has the field in its config class, but does not use it.
    const head = { softcap: config.optionalReal('final_logit_softcapping') };
    return build(config, attention, { rotary: rotaries.full_attention, contextLength, norms: outputNorms, head });
  },
};
