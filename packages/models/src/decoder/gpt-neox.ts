// GPT-NeoX of any size (Pythia): its parameters, and its forward pass as graph pieces.
// Source: Black et al. 2022, arXiv:2204.06745, section 2.1; names and layout of Hugging Face's GPTNeoXForCausalLM.
import type { Value } from '@bowyer/graph';
import { activate } from '../layers/activations.js';
import type { CausalArchitecture, ForwardScope } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import type { GptNeoXConfig } from './gpt-neox-config.js';
import { rotateHeads, type RotaryTables } from '../layers/rotary-embedding.js';
import { rotaryDecoder, specMakers } from './rotary-decoder.js';

const TOKEN_EMBEDDING = 'gpt_neox.embed_in.weight';

export function gptNeoX(config: GptNeoXConfig): CausalArchitecture {
  return {
    vocabSize: config.vocab_size,
    contextLength: config.rotary.contextLength,
    layers: config.num_hidden_layers,
    heads: config.num_attention_heads,
    keyValueHeads: config.num_attention_heads,
    headSize: config.hidden_size / config.num_attention_heads,
    parameters: gptNeoXParameters(config),
    config: config.json,

    ...rotaryDecoder({
      layers: config.num_hidden_layers,
      rotary: config.rotary,
      embedding: TOKEN_EMBEDDING,
      head: config.tie_word_embeddings ? TOKEN_EMBEDDING : 'embed_out.weight',
      embeddingDropout: config.hidden_dropout,
      block: (scope, layer, tables, x) => block(scope, config, layer, tables, x),
      finalNorm: (scope, x) => layerNorm(scope, config, x, 'gpt_neox.final_layer_norm'),
    }),
  };
}

/** x + attention(norm(x)) + mlp(norm′(x)); or, not in parallel, the MLP reads what the attention has added. */
function block(scope: ForwardScope, config: GptNeoXConfig, layer: number, tables: RotaryTables, x: Value): Value {
  const { g } = scope;
  const name = `gpt_neox.layers.${layer}`;
  const mixed = attention(scope, config, layer, tables, layerNorm(scope, config, x, `${name}.input_layernorm`));
  const attended = g.add(x, scope.dropout(mixed, config.hidden_dropout));
  const read = config.use_parallel_residual ? x : attended;
  const inner = scope.linear(
    layerNorm(scope, config, read, `${name}.post_attention_layernorm`),
    `${name}.mlp.dense_h_to_4h.weight`,
    `${name}.mlp.dense_h_to_4h.bias`,
  );
  const mlpOutput = scope.linear(
    activate(g, config.hidden_act, inner),
    `${name}.mlp.dense_4h_to_h.weight`,
    `${name}.mlp.dense_4h_to_h.bias`,
  );
  return g.add(attended, scope.dropout(mlpOutput, config.hidden_dropout));
}

/** The joint projection contains query, key and value of each head in turn. */
function attention(scope: ForwardScope, config: GptNeoXConfig, layer: number, tables: RotaryTables, x: Value): Value {
  const { g } = scope;
  const { num_attention_heads: heads, hidden_size: width } = config;
  const name = `gpt_neox.layers.${layer}.attention`;
  const project = (which: string, input: Value) =>
    scope.linear(input, `${name}.${which}.weight`, config.attention_bias ? `${name}.${which}.bias` : undefined);
  const joint = g.reshape(project('query_key_value', x), [x.dim(0), heads, (3 * width) / heads]);
  const [query, key, value] = g.split(joint, 2, 3);
  const flat = (perHead: Value) => g.reshape(perHead, [x.dim(0), width]);
  const rotated = [query, key].map((perHead) => flat(rotateHeads(g, perHead, tables)));
  return project('dense', scope.attention(layer, rotated[0], rotated[1], flat(value), config.attention_dropout));
}

const layerNorm = (scope: ForwardScope, config: GptNeoXConfig, x: Value, name: string) =>
  scope.g.layerNormalization(x, scope.parameter(`${name}.weight`), scope.parameter(`${name}.bias`), {
    epsilon: config.layer_norm_eps,
  });

function gptNeoXParameters(config: GptNeoXConfig): ParameterSpec[] {
  const { hidden_size: width, intermediate_size: inner, vocab_size: vocabulary, attention_bias } = config;
  const { matrix, scale, bias, linear } = specMakers(config.initializer_range);
  const norm = (name: string): ParameterSpec[] => [scale(`${name}.weight`, width), bias(`${name}.bias`, width)];

  const parameters: ParameterSpec[] = [matrix(TOKEN_EMBEDDING, vocabulary, width)];
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const name = `gpt_neox.layers.${layer}`;
    parameters.push(
      ...norm(`${name}.input_layernorm`),
      ...norm(`${name}.post_attention_layernorm`),
      ...linear(`${name}.attention.query_key_value`, 3 * width, width, attention_bias),
      ...linear(`${name}.attention.dense`, width, width, attention_bias),
      ...linear(`${name}.mlp.dense_h_to_4h`, inner, width, true),
      ...linear(`${name}.mlp.dense_4h_to_h`, width, inner, true),
    );
  }
  parameters.push(...norm('gpt_neox.final_layer_norm'));
  if (!config.tie_word_embeddings) parameters.push(matrix('embed_out.weight', vocabulary, width));
  return parameters;
}
