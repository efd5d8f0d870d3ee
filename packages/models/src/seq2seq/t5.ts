// Builds T5, Flan-T5 and mT5: parameters, encoder and decoder.
// Sources: Raffel et al. 2020 (arXiv:1910.10683); gated feed-forward layers: Shazeer 2020 (arXiv:2002.05202); names and layout of
// Hugging Face's T5ForConditionalGeneration.
import type { Value } from '@bowyer/graph';
import { activate } from '../layers/activations.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import type { ConfigJson, HostTensors } from '@bowyer/checkpoints';
import { rmsNormalization } from '../layers/rms-normalization.js';
import type { EncoderDecoder, SequenceScope } from './encoder-decoder.js';
import { relativePositionBias, type BucketOptions } from './relative-position-buckets.js';
import { t5Config, t5Tables, type T5Config } from './t5-config.js';

export function t5(json: ConfigJson, apart: ReadonlySet<string>): EncoderDecoder {
  const config = t5Config(json, apart);
  const { width, decoderLayers, encoderLayers } = config;
  return {
    vocabSize: config.vocabSize,
    sourceVocabSize: config.vocabSize,
    decoderLayers,
    encoderHeads: config.heads,
    heads: config.heads,
    headSize: config.headSize,
    sourceLimit: Infinity,
    targetLimit: Infinity,
    parameters: t5Parameters(config),
    specialTokens: { decoderStart: 0, eos: 1, pad: 0, forcedEos: null },
    config: json,
    tiedTables: t5Tables,
    fromFile,

    encode(scope, ids) {
      const bias = positionBias(scope, config, 'encoder');
      let x = embed(scope, config, 'encoder', ids);
      for (let layer = 0; layer < encoderLayers; layer++) {
        x = selfAttention(scope, config, { half: 'encoder', layer, bias }, x);
        x = feedForward(scope, config, `encoder.block.${layer}.layer.1`, x);
      }
      return norm(scope, config, x, 'encoder.final_layer_norm');
    },

    crossKeyValue(scope, layer, encoded) {
      const name = `decoder.block.${layer}.layer.1.EncDecAttention`;
      return [scope.linear(encoded, `${name}.k.weight`), scope.linear(encoded, `${name}.v.weight`)];
    },

    decode(scope, ids) {
      const bias = positionBias(scope, config, 'decoder');
      let x = embed(scope, config, 'decoder', ids);
      for (let layer = 0; layer < decoderLayers; layer++) {
        const name = `decoder.block.${layer}.layer`;
        x = selfAttention(scope, config, { half: 'decoder', layer, bias }, x);
        const query = scope.linear(
          norm(scope, config, x, `${name}.1.layer_norm`),
          `${name}.1.EncDecAttention.q.weight`,
        );
        const mixed = scope.crossAttention(layer, query, { scale: 1 });
        x = scope.g.add(x, scope.linear(mixed, `${name}.1.EncDecAttention.o.weight`));
        x = feedForward(scope, config, `${name}.2`, x);
      }
      return norm(scope, config, x, 'decoder.final_layer_norm');
    },

    logits: (scope, hidden) =>
      scope.linear(config.scalesOutputs ? scope.g.mul(hidden, 1 / Math.sqrt(width)) : hidden, config.head),
  };
}

const embed = ({ g, parameter }: SequenceScope, { width, words }: T5Config, half: 'encoder' | 'decoder', ids: Value) =>
  g.reshape(g.gather(parameter(words[half]), ids, 0), [-1, width]);

const biasName = (half: 'encoder' | 'decoder') =>
  `${half}.block.0.layer.0.SelfAttention.relative_attention_bias.weight`;

/** Computes the position bias; all layers of the encoder (or decoder) share the table of its first layer. */
function positionBias(scope: SequenceScope, { buckets, maxDistance }: T5Config, half: 'encoder' | 'decoder'): Value {
  const options: BucketOptions = { buckets, maxDistance, bidirectional: half === 'encoder' };
  return relativePositionBias(scope.g, scope.parameter(biasName(half)), scope, options);
}

/** Computes x + attention(norm(x)). The scores are not divided by √headSize; T5's initial weights account for it. */
function selfAttention(
  scope: SequenceScope,
  config: T5Config,
  { half, layer, bias }: { half: string; layer: number; bias: Value },
  x: Value,
): Value {
  const name = `${half}.block.${layer}.layer.0`;
  const h = norm(scope, config, x, `${name}.layer_norm`);
  const [query, key, value] = ['q', 'k', 'v'].map((part) => scope.linear(h, `${name}.SelfAttention.${part}.weight`));
  const mixed = scope.selfAttention(layer, query, key, value, { scale: 1, bias });
  return scope.g.add(x, scope.linear(mixed, `${name}.SelfAttention.o.weight`));
}

function feedForward(scope: SequenceScope, config: T5Config, name: string, x: Value): Value {
  const { g } = scope;
  const h = norm(scope, config, x, `${name}.layer_norm`);
  const dense = (part: string, y: Value) => scope.linear(y, `${name}.DenseReluDense.${part}.weight`);
  const inner = config.gated
    ? g.mul(activate(g, config.activation, dense('wi_0', h)), dense('wi_1', h))
    : activate(g, config.activation, dense('wi', h));
  return g.add(x, dense('wo', inner));
}

const norm = (scope: SequenceScope, { epsilon }: T5Config, x: Value, name: string) =>
  rmsNormalization(scope.g, x, scope.parameter(`${name}.weight`), epsilon);

/** Lists the parameters, with Mesh TensorFlow's initial deviations: 1 for embeddings, else derived from the input's width. */
function t5Parameters(config: T5Config): ParameterSpec[] {
  const { vocabSize, width, heads, headSize, inner, gated } = config;
  const attentionWidth = heads * headSize;
  const specs: ParameterSpec[] = [];
  const matrix = (name: string, out: number, into: number, standardDeviation: number) =>
    specs.push({ name: `${name}.weight`, shape: [out, into], init: { kind: 'normal', standardDeviation } });
  const layerNorm = (name: string) => specs.push({ name: `${name}.weight`, shape: [width], init: { kind: 'ones' } });
  const attention = (name: string) => {
    matrix(`${name}.q`, attentionWidth, width, (width * headSize) ** -0.5);
    matrix(`${name}.k`, attentionWidth, width, width ** -0.5);
    matrix(`${name}.v`, attentionWidth, width, width ** -0.5);
    matrix(`${name}.o`, width, attentionWidth, attentionWidth ** -0.5);
  };
  const { words, head } = config;
  const wordTables = new Set([words.encoder, words.decoder, head]);
  for (const name of wordTables)
    specs.push({ name, shape: [vocabSize, width], init: { kind: 'normal', standardDeviation: 1 } });
  for (const half of ['encoder', 'decoder'] as const) {
    specs.push({
      name: biasName(half),
      shape: [config.buckets, heads],
      init: { kind: 'normal', standardDeviation: width ** -0.5 },
    });
    const sublayers = half === 'encoder' ? ['SelfAttention'] : ['SelfAttention', 'EncDecAttention'];
    for (let layer = 0; layer < config[`${half}Layers`]; layer++) {
      const name = (i: number) => `${half}.block.${layer}.layer.${i}`;
      sublayers.forEach((kind, i) => {
        attention(`${name(i)}.${kind}`);
        layerNorm(`${name(i)}.layer_norm`);
      });
      const last = name(sublayers.length);
      for (const part of gated ? ['wi_0', 'wi_1'] : ['wi'])
        matrix(`${last}.DenseReluDense.${part}`, inner, width, width ** -0.5);
      matrix(`${last}.DenseReluDense.wo`, width, inner, inner ** -0.5);
      layerNorm(`${last}.layer_norm`);
    }
    layerNorm(`${half}.final_layer_norm`);
  }
  return specs;
}

/** Removes a tensor that T5's first checkpoints contain without use: cross-attention has no position bias. */
function fromFile(tensors: HostTensors): HostTensors {
  const { 'decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight': _, ...result } = tensors;
  return result;
}
