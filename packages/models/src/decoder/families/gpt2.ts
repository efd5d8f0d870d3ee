// Describes GPT-2 of any size, which has learned positions, layer norms, one joint projection for queries, keys and values, and
// biases in all linear layers but the LM head.
// Source: Radford et al. 2019, section 2.3.
import type { CausalArchitecture } from '../../architecture/architecture.js';
import { FamilyConfig, type Family } from '../family.js';
import { gpt2Config, type Gpt2Config } from '../gpt2-config.js';
import { plainDecoder } from '../plain-decoder.js';

export const gpt2Family: Family = {
  architecture: 'GPT2LMHeadModel',
  defaults: {},
  aliases: {
    n_embd: 'hidden_size',
    n_positions: 'max_position_embeddings',
    n_head: 'num_attention_heads',
    n_layer: 'num_hidden_layers',
    activation_function: 'hidden_act',
  },
  build: ({ json }) => gpt2(gpt2Config(json)),
};

export function gpt2(config: Gpt2Config): CausalArchitecture {
  const { n_positions: rows, n_layer, n_embd, initializer_range } = config;
  const architecture = plainDecoder(new FamilyConfig('gpt2', gpt2Family, { ...config }), {
    names: {
      embedding: 'transformer.wte',
      layers: 'transformer.h',
      finalNorm: 'transformer.ln_f',
      attention: 'attn',
      joint: 'c_attn',
      output: 'c_proj',
      up: 'c_fc',
      down: 'c_proj',
    },
    norms: { mixerInput: 'ln_1', feedForwardInput: 'ln_2' },
    norm: { kind: 'layer', epsilon: config.layer_norm_epsilon },
    rotary: null,
    contextLength: rows,
    attention: () => ({ projections: 'parts', bias: true, dropout: config.attn_pdrop }),
    feedForward: { kind: 'plain', bias: true, inner: config.n_inner ?? 4 * n_embd },
    block: { dropout: config.resid_pdrop },
    embedding: { positions: { weight: 'transformer.wpe.weight', rows, offset: 0 }, dropout: config.embd_pdrop },
    transposedInFile: true,
    // Divided by √(layers that write to the residual stream), so that the stream's variance does not grow with depth.
    outputDeviation: initializer_range / Math.sqrt(2 * n_layer),
  });
  return { ...architecture, config: { ...config, architectures: ['GPT2LMHeadModel'] } };
}
