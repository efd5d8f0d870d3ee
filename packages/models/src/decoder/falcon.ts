// Falcon (7B, 40B and the instruct models): its parameters, and its forward pass as graph pieces.
// Source: Almazrouei et al. 2023, arXiv:2311.16867; names and layout of Hugging Face's FalconForCausalLM.
// Departs from it: no attention with linear biases (`alibi`, the falcon-rw models), which is refused.
import type { Value } from '@bowyer/graph';
import { activate } from '../layers/activations.js';
import type { CausalArchitecture, ForwardScope } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import type { FalconConfig } from './falcon-config.js';
import { rotateHeads, type RotaryTables } from '../layers/rotary-embedding.js';
import { rotaryDecoder, specMakers } from './rotary-decoder.js';

const TOKEN_EMBEDDING = 'transformer.word_embeddings.weight';

export function falcon(config: FalconConfig): CausalArchitecture {
  return {
    vocabSize: config.vocab_size,
    contextLength: config.rotary.contextLength,
    layers: config.num_hidden_layers,
    heads: config.num_attention_heads,
    keyValueHeads: config.keyValueHeads,
    headSize: config.hidden_size / config.num_attention_heads,
    parameters: falconParameters(config),
    config: config.json,

    ...rotaryDecoder({
      layers: config.num_hidden_layers,
      rotary: config.rotary,
      embedding: TOKEN_EMBEDDING,
      head: config.tie_word_embeddings ? TOKEN_EMBEDDING : 'lm_head.weight',
      embeddingDropout: 0,
      block: (scope, layer, tables, x) => block(scope, config, layer, tables, x),
      finalNorm: (scope, x) => layerNorm(scope, config, x, 'transformer.ln_f'),
    }),
  };
}

/** x + attention(norm(x)) + mlp(norm′(x)); or, not in parallel, the MLP reads the norm of what the attention has added. */
function block(scope: ForwardScope, config: FalconConfig, layer: number, tables: RotaryTables, x: Value): Value {
  const { g } = scope;
  const name = `transformer.h.${layer}`;
  const first = config.norms === 'separate' ? 'ln_attn' : 'input_layernorm';
  const normed = layerNorm(scope, config, x, `${name}.${first}`);
  const mixed = attention(scope, config, layer, tables, normed);
  const attended = g.add(x, scope.dropout(mixed, config.hidden_dropout));
  const read = {
    shared: () => normed,
    separate: () => layerNorm(scope, config, x, `${name}.ln_mlp`),
    sequential: () => layerNorm(scope, config, attended, `${name}.post_attention_layernorm`),
  }[config.norms]();
  const inner = linear(scope, config, read, `${name}.mlp.dense_h_to_4h`);
  const out = linear(scope, config, activate(g, config.activation, inner), `${name}.mlp.dense_4h_to_h`);
  return g.add(attended, scope.dropout(out, config.hidden_dropout));
}

/** The joint projection contains, for each head of keys and values, the queries that share it, then the key, then the value. */
function attention(scope: ForwardScope, config: FalconConfig, layer: number, tables: RotaryTables, x: Value): Value {
  const { g } = scope;
  const { num_attention_heads: heads, keyValueHeads, hidden_size: width } = config;
  const name = `transformer.h.${layer}.self_attention`;
  const [size, queries] = [width / heads, heads / keyValueHeads];
  const joint = linear(scope, config, x, `${name}.query_key_value`);
  const grouped = g.reshape(joint, [x.dim(0), keyValueHeads, queries + 2, size]);
  const [query, key, value] = g.split(grouped, 2, [queries, 1, 1]);
  const rotated = (part: Value, count: number) => {
    const turned = rotateHeads(g, g.reshape(part, [x.dim(0), count, size]), tables);
    return g.reshape(turned, [x.dim(0), count * size]);
  };
  const values = g.reshape(value, [x.dim(0), keyValueHeads * size]);
  const mixed = scope.attention(
    layer,
    rotated(query, heads),
    rotated(key, keyValueHeads),
    values,
    config.attention_dropout,
  );
  return linear(scope, config, mixed, `${name}.dense`);
}

const linear = (scope: ForwardScope, { bias }: FalconConfig, x: Value, name: string): Value =>
  scope.linear(x, `${name}.weight`, bias ? `${name}.bias` : undefined);

const layerNorm = (scope: ForwardScope, config: FalconConfig, x: Value, name: string) =>
  scope.g.layerNormalization(x, scope.parameter(`${name}.weight`), scope.parameter(`${name}.bias`), {
    epsilon: config.layer_norm_epsilon,
  });

const normNames = {
  shared: ['input_layernorm'],
  separate: ['ln_attn', 'ln_mlp'],
  sequential: ['input_layernorm', 'post_attention_layernorm'],
} as const;

function falconParameters(config: FalconConfig): ParameterSpec[] {
  const { hidden_size: width, ffn_hidden_size: inner, vocab_size: vocabulary, bias: hasBias } = config;
  const { matrix, scale, bias, linear } = specMakers(config.initializer_range);
  const norm = (name: string): ParameterSpec[] => [scale(`${name}.weight`, width), bias(`${name}.bias`, width)];
  const joint = width + (2 * config.keyValueHeads * width) / config.num_attention_heads;

  const parameters: ParameterSpec[] = [matrix(TOKEN_EMBEDDING, vocabulary, width)];
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const name = `transformer.h.${layer}`;
    parameters.push(
      ...normNames[config.norms].flatMap((which) => norm(`${name}.${which}`)),
      ...linear(`${name}.self_attention.query_key_value`, joint, width, hasBias),
      ...linear(`${name}.self_attention.dense`, width, width, hasBias),
      ...linear(`${name}.mlp.dense_h_to_4h`, inner, width, hasBias),
      ...linear(`${name}.mlp.dense_4h_to_h`, width, inner, hasBias),
    );
  }
  parameters.push(...norm('transformer.ln_f'));
  if (!config.tie_word_embeddings) parameters.push(matrix('lm_head.weight', vocabulary, width));
  return parameters;
}
