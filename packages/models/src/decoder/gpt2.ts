// GPT-2 of any size: its parameters, and its forward pass as graph pieces.
// Source: Radford et al. 2019, section 2.3; names and layout of Hugging Face's GPT2LMHeadModel.
import type { Value } from '@bowyer/graph';
import { activate } from '../layers/activations.js';
import type { CausalArchitecture, ForwardScope } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import type { Gpt2Config } from './gpt2-config.js';

const TOKEN_EMBEDDING = 'transformer.wte.weight';
const POSITION_EMBEDDING = 'transformer.wpe.weight';

export function gpt2(config: Gpt2Config): CausalArchitecture {
  const head = config.tie_word_embeddings ? TOKEN_EMBEDDING : 'lm_head.weight';
  return {
    vocabSize: config.vocab_size,
    contextLength: config.n_positions,
    layers: config.n_layer,
    heads: config.n_head,
    keyValueHeads: config.n_head,
    headSize: config.n_embd / config.n_head,
    parameters: gpt2Parameters(config),
    config: { ...config, architectures: ['GPT2LMHeadModel'] },

    residual(scope, ids, positions) {
      let x = scope.g.scope('embed', () => embed(scope, config, ids, positions));
      scope.blockBoundary(x);
      for (let layer = 0; layer < config.n_layer; layer++) {
        x = scope.g.scope(`h.${layer}`, () => block(scope, config, layer, x));
        scope.blockBoundary(x);
      }
      return x;
    },

    logits(scope, residual) {
      return scope.g.scope('head', () => scope.linear(layerNorm(scope, config, residual, 'transformer.ln_f'), head));
    },
  };
}

function embed(scope: ForwardScope, config: Gpt2Config, ids: Value, positions: Value): Value {
  const { g } = scope;
  const words = g.gather(scope.parameter(TOKEN_EMBEDDING), ids, 0);
  const places = g.gather(scope.parameter(POSITION_EMBEDDING), positions, 0);
  if (positions.dim(0) === ids.dim(0)) return scope.dropout(g.add(words, places), config.embd_pdrop);
  // One place per column: added to every row of the batch.
  const grid = g.add(g.reshape(words, [scope.batch, scope.tokens, config.n_embd]), places);
  return scope.dropout(g.reshape(grid, [ids.dim(0), config.n_embd]), config.embd_pdrop);
}

/** x + attention(norm(x)), then x + mlp(norm(x)). */
function block(scope: ForwardScope, config: Gpt2Config, layer: number, x: Value): Value {
  const { g } = scope;
  const name = `transformer.h.${layer}`;
  const qkv = scope.linear(
    layerNorm(scope, config, x, `${name}.ln_1`),
    `${name}.attn.c_attn.weight`,
    `${name}.attn.c_attn.bias`,
  );
  const [query, key, value] = g.split(qkv, 1, [config.n_embd, config.n_embd, config.n_embd]);
  const mixed = scope.attention(layer, query, key, value, config.attn_pdrop);
  const attended = scope.linear(mixed, `${name}.attn.c_proj.weight`, `${name}.attn.c_proj.bias`);
  x = g.add(x, scope.dropout(attended, config.resid_pdrop));

  const inner = scope.linear(
    layerNorm(scope, config, x, `${name}.ln_2`),
    `${name}.mlp.c_fc.weight`,
    `${name}.mlp.c_fc.bias`,
  );
  const mlpOutput = scope.linear(
    activate(scope.g, config.activation_function, inner),
    `${name}.mlp.c_proj.weight`,
    `${name}.mlp.c_proj.bias`,
  );
  return g.add(x, scope.dropout(mlpOutput, config.resid_pdrop));
}

const layerNorm = (scope: ForwardScope, config: Gpt2Config, x: Value, name: string) =>
  scope.g.layerNormalization(x, scope.parameter(`${name}.weight`), scope.parameter(`${name}.bias`), {
    epsilon: config.layer_norm_epsilon,
  });

function gpt2Parameters(config: Gpt2Config): ParameterSpec[] {
  const {
    n_embd: width,
    n_layer: layers,
    vocab_size: vocabulary,
    n_positions: positions,
    initializer_range: standardDeviation,
  } = config;
  const inner = config.n_inner ?? 4 * width;
  const normal = { kind: 'normal', standardDeviation } as const;
  // Projections onto the residual stream start smaller by 1/√(number of them), so that its variance does not grow with depth.
  const residual = { kind: 'normal', standardDeviation: standardDeviation / Math.sqrt(2 * layers) } as const;
  const bias = (name: string, size: number): ParameterSpec => ({ name, shape: [size], init: { kind: 'zeros' } });
  const norm = (name: string): ParameterSpec[] => [
    { name: `${name}.weight`, shape: [width], init: { kind: 'ones' } },
    bias(`${name}.bias`, width),
  ];
  const conv1d = (name: string, out: number, input: number, init: ParameterSpec['init']): ParameterSpec[] => [
    { name: `${name}.weight`, shape: [out, input], init, transposedInFile: true },
    bias(`${name}.bias`, out),
  ];

  const parameters: ParameterSpec[] = [
    { name: TOKEN_EMBEDDING, shape: [vocabulary, width], init: normal },
    { name: POSITION_EMBEDDING, shape: [positions, width], init: normal },
  ];
  for (let layer = 0; layer < layers; layer++) {
    const name = `transformer.h.${layer}`;
    parameters.push(
      ...norm(`${name}.ln_1`),
      ...conv1d(`${name}.attn.c_attn`, 3 * width, width, normal),
      ...conv1d(`${name}.attn.c_proj`, width, width, residual),
      ...norm(`${name}.ln_2`),
      ...conv1d(`${name}.mlp.c_fc`, inner, width, normal),
      ...conv1d(`${name}.mlp.c_proj`, width, inner, residual),
    );
  }
  parameters.push(...norm('transformer.ln_f'));
  if (!config.tie_word_embeddings)
    parameters.push({ name: 'lm_head.weight', shape: [vocabulary, width], init: normal });
  return parameters;
}
