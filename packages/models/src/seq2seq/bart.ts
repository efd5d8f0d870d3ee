// Builds BART, Marian and Pegasus: parameters, encoder and decoder.
// Names and layout of Hugging Face's BartForConditionalGeneration, MarianMTModel and PegasusForConditionalGeneration.
import type { Value } from '@bowyer/graph';
import { activate } from '../layers/activations.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import type { ConfigJson, HostTensor, HostTensors } from '@bowyer/checkpoints';
import { bartConfig, type BartConfig, type Half } from './bart-config.js';
import type { DecoderScope, EncoderDecoder, SequenceScope } from './encoder-decoder.js';

const LOGITS_BIAS = 'final_logits_bias';
/** The rows of a learned position table before that of position 0. */
const POSITION_OFFSET = 2;
const EPSILON = 1e-5;

export function bart(json: ConfigJson, apart: ReadonlySet<string>): EncoderDecoder {
  const config = bartConfig(json, apart);
  const { width, decoder, encoder } = config;
  return {
    vocabSize: decoder.vocabSize,
    sourceVocabSize: encoder.vocabSize,
    decoderLayers: decoder.layers,
    encoderHeads: encoder.heads,
    heads: decoder.heads,
    headSize: width / decoder.heads,
    sourceLimit: config.maxPositions,
    targetLimit: config.maxPositions,
    parameters: bartParameters(config),
    specialTokens: config.specialTokens,
    config: json,
    tiedTables: config.pairs,
    fromFile: (tensors) => fromFile(tensors, config),

    encode(scope, ids) {
      let x = embed(scope, config, encoder, ids);
      for (let layer = 0; layer < encoder.layers; layer++) {
        const name = `${encoder.prefix}.layers.${layer}`;
        x = selfAttention(scope, encoder, config, layer, x);
        x = feedForward(scope, config, name, x);
      }
      return config.normFirst ? norm(scope, x, `${encoder.prefix}.layer_norm`) : x;
    },

    crossKeyValue(scope, layer, encoded) {
      const name = `${decoder.prefix}.layers.${layer}.encoder_attn`;
      return [affine(scope, encoded, `${name}.k_proj`), affine(scope, encoded, `${name}.v_proj`)];
    },

    decode(scope, ids) {
      let x = embed(scope, config, decoder, ids);
      for (let layer = 0; layer < decoder.layers; layer++) {
        const name = `${decoder.prefix}.layers.${layer}`;
        x = selfAttention(scope, decoder, config, layer, x);
        x = crossAttention(scope, config, layer, x);
        x = feedForward(scope, config, name, x);
      }
      return config.normFirst ? norm(scope, x, `${decoder.prefix}.layer_norm`) : x;
    },

    logits: (scope, hidden) => scope.g.add(scope.linear(hidden, config.head), scope.parameter(LOGITS_BIAS)),
  };
}

/** Computes embeddings [batch · tokens, width]: words, times √width if the config says so, plus positions, and BART's norm. */
function embed(scope: SequenceScope, config: BartConfig, { prefix, words: table }: Half, ids: Value): Value {
  const { g } = scope;
  const words = g.gather(scope.parameter(table), ids, 0);
  const scaled = config.scaleEmbedding ? g.mul(words, Math.sqrt(config.width)) : words;
  const rows = config.sinusoidal ? scope.positions : g.add(scope.positions, POSITION_OFFSET);
  const places = g.gather(scope.parameter(`${prefix}.embed_positions.weight`), rows, 0);
  const x = g.reshape(g.add(scaled, places), [-1, config.width]);
  return config.embeddingNorm ? norm(scope, x, `${prefix}.layernorm_embedding`) : x;
}

/** Computes x + f(norm(x)) if norms come first, else norm(x + f(x)). */
function residual(
  scope: SequenceScope,
  { normFirst }: BartConfig,
  normName: string,
  x: Value,
  f: (read: Value) => Value,
): Value {
  if (normFirst) return scope.g.add(x, f(norm(scope, x, normName)));
  return norm(scope, scope.g.add(x, f(x)), normName);
}

function selfAttention(scope: SequenceScope, half: Half, config: BartConfig, layer: number, x: Value): Value {
  const name = `${half.prefix}.layers.${layer}.self_attn`;
  return residual(scope, config, `${name}_layer_norm`, x, (h) => {
    const [query, key, value] = ['q_proj', 'k_proj', 'v_proj'].map((part) => affine(scope, h, `${name}.${part}`));
    const mixed = scope.selfAttention(layer, query, key, value, { scale: 1 / Math.sqrt(config.width / half.heads) });
    return affine(scope, mixed, `${name}.out_proj`);
  });
}

function crossAttention(scope: DecoderScope, config: BartConfig, layer: number, x: Value): Value {
  const { decoder, width } = config;
  const name = `${decoder.prefix}.layers.${layer}.encoder_attn`;
  return residual(scope, config, `${name}_layer_norm`, x, (h) => {
    const query = affine(scope, h, `${name}.q_proj`);
    const mixed = scope.crossAttention(layer, query, { scale: 1 / Math.sqrt(width / decoder.heads) });
    return affine(scope, mixed, `${name}.out_proj`);
  });
}

const feedForward = (scope: SequenceScope, config: BartConfig, name: string, x: Value): Value =>
  residual(scope, config, `${name}.final_layer_norm`, x, (h) =>
    affine(scope, activate(scope.g, config.activation, affine(scope, h, `${name}.fc1`)), `${name}.fc2`),
  );

const affine = (scope: Pick<SequenceScope, 'linear'>, x: Value, name: string) =>
  scope.linear(x, `${name}.weight`, `${name}.bias`);

const norm = (scope: SequenceScope, x: Value, name: string) =>
  scope.g.layerNormalization(x, scope.parameter(`${name}.weight`), scope.parameter(`${name}.bias`), {
    epsilon: EPSILON,
  });

function bartParameters(config: BartConfig): ParameterSpec[] {
  const { width, maxPositions, encoder, decoder, initializerRange } = config;
  const normal = { kind: 'normal', standardDeviation: initializerRange } as const;
  const zeros = { kind: 'zeros' } as const;
  const tables = new Map([
    [encoder.words, encoder.vocabSize],
    [decoder.words, decoder.vocabSize],
    [config.head, decoder.vocabSize],
  ]);
  const specs: ParameterSpec[] = [
    ...[...tables].map(([name, rows]): ParameterSpec => ({ name, shape: [rows, width], init: normal })),
    { name: LOGITS_BIAS, shape: [1, decoder.vocabSize], init: zeros },
  ];
  const linear = (name: string, into: number, out: number) =>
    specs.push(
      { name: `${name}.weight`, shape: [out, into], init: normal },
      { name: `${name}.bias`, shape: [out], init: zeros },
    );
  const layerNorm = (name: string) =>
    specs.push(
      { name: `${name}.weight`, shape: [width], init: { kind: 'ones' } },
      { name: `${name}.bias`, shape: [width], init: zeros },
    );
  for (const { prefix, layers, inner } of [encoder, decoder]) {
    const rows = config.sinusoidal ? maxPositions : maxPositions + POSITION_OFFSET;
    specs.push({ name: `${prefix}.embed_positions.weight`, shape: [rows, width], init: normal });
    if (config.embeddingNorm) layerNorm(`${prefix}.layernorm_embedding`);
    if (config.normFirst) layerNorm(`${prefix}.layer_norm`);
    const attentions = prefix === 'model.decoder' ? ['self_attn', 'encoder_attn'] : ['self_attn'];
    for (let layer = 0; layer < layers; layer++) {
      const name = `${prefix}.layers.${layer}`;
      for (const attention of attentions) {
        for (const part of ['q_proj', 'k_proj', 'v_proj', 'out_proj'])
          linear(`${name}.${attention}.${part}`, width, width);
        layerNorm(`${name}.${attention}_layer_norm`);
      }
      linear(`${name}.fc1`, width, inner);
      linear(`${name}.fc2`, inner, width);
      layerNorm(`${name}.final_layer_norm`);
    }
  }
  return specs;
}

/** Adds the prefix `model.`, which BartModel's checkpoints lack, and sinusoidal positions and the logits' bias if missing. */
function fromFile(tensors: HostTensors, config: BartConfig): HostTensors {
  const result: HostTensors = {};
  for (const [name, tensor] of Object.entries(tensors))
    result[/^(encoder|decoder|shared)\./.test(name) ? `model.${name}` : name] = tensor;
  const { vocabSize } = config.decoder;
  result[LOGITS_BIAS] ??= { shape: [1, vocabSize], data: new Float32Array(vocabSize) };
  for (const { prefix } of [config.encoder, config.decoder])
    if (config.sinusoidal) result[`${prefix}.embed_positions.weight`] ??= sinusoids(config);
  return result;
}

/** Makes a table whose row p has sin(p · 10000^(−2i/width)) in the first half of its columns and the cosines in the second. */
function sinusoids({ maxPositions, width }: BartConfig): HostTensor {
  const data = new Float32Array(maxPositions * width);
  const sines = Math.ceil(width / 2);
  for (let position = 0; position < maxPositions; position++)
    for (let column = 0; column < width; column++) {
      const isSine = column < sines;
      const i = isSine ? column : column - sines;
      const angle = position / Math.pow(10_000, (2 * i) / width);
      data[position * width + column] = isSine ? Math.sin(angle) : Math.cos(angle);
    }
  return { shape: [maxPositions, width], data };
}
