// Describes Mistral and Ministral, which are Llama with a sliding window, if the file has one, in every layer or in the layers
// that `layer_types` names. Ministral 3 also multiplies the queries of late positions by a factor. Source: Jiang et al. 2023,
// arXiv:2310.06825.
import { ConfigFields, type ConfigJson } from '@bowyer/checkpoints';
import type { Value } from '@bowyer/graph';
import type { ForwardScope } from '../../architecture/architecture.js';
import { ropeFields, type RotaryFrequencies } from '../../layers/rotary-frequencies.js';
import type { Family, FamilyConfig } from '../family.js';
import type { Place } from '../parts.js';
import { plainDecoder, type AttentionDeparture } from '../plain-decoder.js';
import { llamaDefaults } from './llama.js';

const defaults: ConfigJson = {
  ...llamaDefaults,
  vocab_size: 32000,
  intermediate_size: 14336,
  num_key_value_heads: 8,
  max_position_embeddings: 131072,
  sliding_window: 4096,
};

function build(config: FamilyConfig, rotary: RotaryFrequencies, attention: AttentionDeparture = {}) {
  const { fields } = config;
  for (const field of ['attention_bias', 'mlp_bias']) fields.refuse(field, false);
  const kinds = config.layerKinds(() => config.hasWindow);
  const windows = config.windows(kinds, rotary.contextLength);
  return plainDecoder(config, { rotary, attention: (layer) => ({ ...attention, window: windows[layer] }) });
}

export const mistral: Family = {
  architecture: 'MistralForCausalLM',
  defaults,
  build: (config) => build(config, config.rotary()),
};

export const ministral: Family = { ...mistral, architecture: 'MinistralForCausalLM' };

/** The defaults of Hugging Face's Ministral3Config for files without rope_parameters. */
const rope_parameters = {
  rope_type: 'yarn',
  rope_theta: 1e6,
  factor: 16,
  original_max_position_embeddings: 16384,
  beta_fast: 32,
  beta_slow: 1,
  mscale_all_dim: 1,
  mscale: 1,
  llama_4_scaling_beta: 0.1,
};

export const ministral3: Family = {
  architecture: 'Ministral3ForCausalLM',
  defaults: {
    ...defaults,
    vocab_size: 131072,
    num_hidden_layers: 34,
    head_dim: 128,
    max_position_embeddings: 262144,
    rms_norm_eps: 1e-5,
    sliding_window: null,
  },
  build(config) {
    const given = ropeFields(config.type, config.json).scaling;
    const rope = Object.keys(given).length > 0 ? given : rope_parameters;
    const fields = new ConfigFields(config.type, rope, {}, 'rope_parameters.');
    const [beta, original] = [fields.real('llama_4_scaling_beta'), fields.count('original_max_position_embeddings')];
    return build(config, config.rotary({ json: { rope_parameters: rope } }), {
      queryFactor: (scope, place) => lateFactor(scope, place, beta, original),
    });
  },
};

/** 1 + β ln(1 + ⌊position / original context length⌋), by which queries are multiplied, [batch · tokens, 1]. */
function lateFactor({ g, batch, tokens }: ForwardScope, { positions }: Place, beta: number, original: number): Value {
  const times = g.cast(g.div(g.cast(positions, 'int64'), original), 'float32');
  const factors = g.add(g.mul(g.log(g.add(times, 1)), beta), 1);
  const perRow = positions.dim(0) === tokens ? g.expand(g.unsqueeze(factors, 0), [batch, tokens]) : factors;
  return g.reshape(perRow, [-1, 1]);
}
