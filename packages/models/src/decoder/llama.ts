// Decoders of the Llama family (Llama, Mistral, Qwen 2 and 3): their parameters, and their forward pass as graph pieces.
// Source: Touvron et al. 2023, arXiv:2302.13971, section 2.2; names and layout of Hugging Face's LlamaForCausalLM.
import type { Value } from '@bowyer/graph';
import { activate } from '../layers/activations.js';
import type { CausalArchitecture, ForwardScope } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import type { LlamaConfig } from './llama-config.js';
import { rmsNormalization } from '../layers/rms-normalization.js';
import { rotateHeads, type RotaryTables } from '../layers/rotary-embedding.js';
import { rotaryDecoder, specMakers } from './rotary-decoder.js';

const TOKEN_EMBEDDING = 'model.embed_tokens.weight';

export function llama(config: LlamaConfig): CausalArchitecture {
  return {
    vocabSize: config.vocab_size,
    contextLength: config.rotary.contextLength,
    layers: config.num_hidden_layers,
    heads: config.num_attention_heads,
    keyValueHeads: config.num_key_value_heads,
    headSize: config.head_dim,
    attentionWindows: config.attentionWindows,
    parameters: llamaParameters(config),
    config: config.json,

    ...rotaryDecoder({
      layers: config.num_hidden_layers,
      rotary: config.rotary,
      embedding: TOKEN_EMBEDDING,
      head: config.tie_word_embeddings ? TOKEN_EMBEDDING : 'lm_head.weight',
      embeddingDropout: 0,
      block: (scope, layer, tables, x) => block(scope, config, layer, tables, x),
      finalNorm: (scope, x) => norm(scope, config, x, 'model.norm'),
    }),
  };
}

/** x + attention(norm(x)), then x + mlp(norm(x)). */
function block(scope: ForwardScope, config: LlamaConfig, layer: number, tables: RotaryTables, x: Value): Value {
  const { g } = scope;
  const name = `model.layers.${layer}`;
  x = g.add(x, attention(scope, config, layer, tables, norm(scope, config, x, `${name}.input_layernorm`)));
  return g.add(x, gatedMlp(scope, config, `${name}.mlp`, norm(scope, config, x, `${name}.post_attention_layernorm`)));
}

/** [rows, hidden] → [rows, hidden]. */
function attention(scope: ForwardScope, config: LlamaConfig, layer: number, tables: RotaryTables, x: Value): Value {
  const { g } = scope;
  const name = `model.layers.${layer}.self_attn`;
  const project = (which: string, hasBias: boolean, input: Value) =>
    scope.linear(input, `${name}.${which}.weight`, hasBias ? `${name}.${which}.bias` : undefined);
  const rotated = (which: 'q' | 'k', heads: number) => {
    const flat = project(`${which}_proj`, config.queryBias, x);
    let apart = g.reshape(flat, [flat.dim(0), heads, config.head_dim]);
    if (config.queryKeyNorm) apart = norm(scope, config, apart, `${name}.${which}_norm`);
    return g.reshape(rotateHeads(g, apart, tables), flat.shape);
  };
  const query = rotated('q', config.num_attention_heads);
  const key = rotated('k', config.num_key_value_heads);
  const value = project('v_proj', config.queryBias, x);
  const mixed = scope.attention(layer, query, key, value, config.attention_dropout);
  return project('o_proj', config.outputBias, mixed);
}

/** down(activation(gate(x)) · up(x)). Source: Shazeer 2020, arXiv:2002.05202, eq. 6. */
function gatedMlp(scope: ForwardScope, config: LlamaConfig, name: string, x: Value): Value {
  const { g } = scope;
  const project = (which: string, input: Value) =>
    scope.linear(input, `${name}.${which}.weight`, config.mlp_bias ? `${name}.${which}.bias` : undefined);
  const gated = g.mul(activate(g, config.hidden_act, project('gate_proj', x)), project('up_proj', x));
  return project('down_proj', gated);
}

const norm = (scope: ForwardScope, config: LlamaConfig, x: Value, name: string) =>
  rmsNormalization(scope.g, x, scope.parameter(`${name}.weight`), config.rms_norm_eps);

function llamaParameters(config: LlamaConfig): ParameterSpec[] {
  const { hidden_size: width, intermediate_size: inner, vocab_size: vocabulary, head_dim } = config;
  const { matrix, scale, linear } = specMakers(config.initializer_range);
  const queries = config.num_attention_heads * head_dim;
  const keys = config.num_key_value_heads * head_dim;

  const parameters: ParameterSpec[] = [matrix(TOKEN_EMBEDDING, vocabulary, width)];
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const name = `model.layers.${layer}`;
    parameters.push(
      scale(`${name}.input_layernorm.weight`, width),
      ...linear(`${name}.self_attn.q_proj`, queries, width, config.queryBias),
      ...linear(`${name}.self_attn.k_proj`, keys, width, config.queryBias),
      ...linear(`${name}.self_attn.v_proj`, keys, width, config.queryBias),
      ...linear(`${name}.self_attn.o_proj`, width, queries, config.outputBias),
    );
    if (config.queryKeyNorm)
      for (const which of ['q', 'k']) parameters.push(scale(`${name}.self_attn.${which}_norm.weight`, head_dim));
    parameters.push(
      scale(`${name}.post_attention_layernorm.weight`, width),
      ...linear(`${name}.mlp.gate_proj`, inner, width, config.mlp_bias),
      ...linear(`${name}.mlp.up_proj`, inner, width, config.mlp_bias),
      ...linear(`${name}.mlp.down_proj`, width, inner, config.mlp_bias),
    );
  }
  parameters.push(scale('model.norm.weight', width));
  if (!config.tie_word_embeddings) parameters.push(matrix('lm_head.weight', vocabulary, width));
  return parameters;
}
