// GPT-NeoX of any size (Pythia): its parameters, and its forward pass as graph pieces.
// Source: Black et al. 2022, arXiv:2204.06745, section 2.1; names and layout of Hugging Face's GPTNeoXForCausalLM.
import type { Value } from '@bowyer/graph';
import { activate } from '../layers/activations.js';
import type { CausalArchitecture, ForwardScope } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import type { GptNeoXConfig } from './gpt-neox-config.js';
import { rotaryTables, rotateHeads, type RotaryTables } from '../layers/rotary-embedding.js';

const TOKEN_EMBEDDING = 'gpt_neox.embed_in.weight';

export function gptNeoX(config: GptNeoXConfig): CausalArchitecture {
  const head = config.tie_word_embeddings ? TOKEN_EMBEDDING : 'embed_out.weight';
  return {
    vocabSize: config.vocab_size,
    contextLength: config.rotary.contextLength,
    layers: config.num_hidden_layers,
    heads: config.num_attention_heads,
    keyValueHeads: config.num_attention_heads,
    headSize: config.hidden_size / config.num_attention_heads,
    parameters: gptNeoXParameters(config),
    config: config.json,

    residual(scope, ids, positions) {
      const { g } = scope;
      const words = g.scope('embed', () => g.gather(scope.parameter(TOKEN_EMBEDDING), ids, 0));
      const tables = g.scope('rotary', () => rotaryTables(g, positions, config.rotary));
      let x = scope.dropout(words, config.hidden_dropout);
      scope.blockBoundary(x);
      for (let layer = 0; layer < config.num_hidden_layers; layer++) {
        x = g.scope(`layers.${layer}`, () => block(scope, config, layer, tables, x));
        scope.blockBoundary(x);
      }
      return x;
    },

    logits(scope, residual) {
      return scope.g.scope('head', () =>
        scope.linear(layerNorm(scope, config, residual, 'gpt_neox.final_layer_norm'), head),
      );
    },
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
  const thought = scope.linear(
    activate(g, config.hidden_act, inner),
    `${name}.mlp.dense_4h_to_h.weight`,
    `${name}.mlp.dense_4h_to_h.bias`,
  );
  return g.add(attended, scope.dropout(thought, config.hidden_dropout));
}

/** The joint projection holds query, key and value of one head beside each other, head after head. */
function attention(scope: ForwardScope, config: GptNeoXConfig, layer: number, tables: RotaryTables, x: Value): Value {
  const { g } = scope;
  const { num_attention_heads: heads, hidden_size: width } = config;
  const name = `gpt_neox.layers.${layer}.attention`;
  const project = (which: string, input: Value) =>
    scope.linear(input, `${name}.${which}.weight`, config.attention_bias ? `${name}.${which}.bias` : undefined);
  const joint = g.reshape(project('query_key_value', x), [x.dim(0), heads, (3 * width) / heads]);
  const [query, key, value] = g.split(joint, 2, 3);
  const flat = (perHead: Value) => g.reshape(perHead, [x.dim(0), width]);
  const turned = [query, key].map((perHead) => flat(rotateHeads(g, perHead, tables)));
  return project('dense', scope.attention(layer, turned[0], turned[1], flat(value), config.attention_dropout));
}

const layerNorm = (scope: ForwardScope, config: GptNeoXConfig, x: Value, name: string) =>
  scope.g.layerNormalization(x, scope.parameter(`${name}.weight`), scope.parameter(`${name}.bias`), {
    epsilon: config.layer_norm_eps,
  });

function gptNeoXParameters(config: GptNeoXConfig): ParameterSpec[] {
  const { hidden_size: width, intermediate_size: inner, vocab_size: vocabulary, attention_bias } = config;
  const init = { kind: 'normal', standardDeviation: config.initializer_range } as const;
  const matrix = (name: string, out: number, input: number): ParameterSpec => ({ name, shape: [out, input], init });
  const bias = (name: string, size: number): ParameterSpec => ({ name, shape: [size], init: { kind: 'zeros' } });
  const linear = (name: string, out: number, input: number, hasBias = true): ParameterSpec[] => [
    matrix(`${name}.weight`, out, input),
    ...(hasBias ? [bias(`${name}.bias`, out)] : []),
  ];
  const norm = (name: string): ParameterSpec[] => [
    { name: `${name}.weight`, shape: [width], init: { kind: 'ones' } },
    bias(`${name}.bias`, width),
  ];

  const parameters: ParameterSpec[] = [matrix(TOKEN_EMBEDDING, vocabulary, width)];
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const name = `gpt_neox.layers.${layer}`;
    parameters.push(
      ...norm(`${name}.input_layernorm`),
      ...norm(`${name}.post_attention_layernorm`),
      ...linear(`${name}.attention.query_key_value`, 3 * width, width, attention_bias),
      ...linear(`${name}.attention.dense`, width, width, attention_bias),
      ...linear(`${name}.mlp.dense_h_to_4h`, inner, width),
      ...linear(`${name}.mlp.dense_4h_to_h`, width, inner),
    );
  }
  parameters.push(...norm('gpt_neox.final_layer_norm'));
  if (!config.tie_word_embeddings) parameters.push(matrix('embed_out.weight', vocabulary, width));
  return parameters;
}
