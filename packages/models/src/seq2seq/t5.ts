// T5, Flan-T5 and mT5: settings, parameters, and the two halves as graph pieces.
// Sources: Raffel et al. 2020 (arXiv:1910.10683); gated feed-forward layers: Shazeer 2020 (arXiv:2002.05202);
// names and layout of Hugging Face's T5ForConditionalGeneration.
import type { Value } from '@bowyer/graph';
import { activate, activationNames, type ActivationName } from '../layers/activations.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import { ConfigFields, type ConfigJson, type HostTensors } from '@bowyer/checkpoints';
import { rmsNormalization } from '../layers/rms-normalization.js';
import type { EncoderDecoder, SequenceScope } from './encoder-decoder.js';
import { renamed } from '../architecture/other-names.js';
import { relativePositionBias, type BucketOptions } from './relative-position-buckets.js';
import { tableName, type TiedPair } from './tied-tables.js';

const SHARED = 'shared.weight';
const HEAD = 'lm_head.weight';
const tables = { encoder: 'encoder.embed_tokens.weight', decoder: 'decoder.embed_tokens.weight' } as const;
const pairs: readonly TiedPair[] = [tables.encoder, tables.decoder, HEAD].map((copy) => [copy, SHARED]);

interface T5Config {
  vocabSize: number;
  width: number;
  heads: number;
  headSize: number;
  /** Width of the feed-forward layers. */
  inner: number;
  encoderLayers: number;
  decoderLayers: number;
  buckets: number;
  maxDistance: number;
  epsilon: number;
  activation: ActivationName;
  /** act(x W₀) ⊙ x W₁ instead of act(x W). */
  gated: boolean;
  /** Hidden states are multiplied by 1/√width before the head. */
  scalesOutputs: boolean;
  /** The tables of the two halves' words and of the head, which are one unless a file has several. */
  words: { encoder: string; decoder: string };
  head: string;
}

/** What Hugging Face's T5Config takes for a field that the file leaves out. */
const defaults: ConfigJson = {
  vocab_size: 32128,
  d_model: 512,
  d_kv: 64,
  d_ff: 2048,
  num_layers: 6,
  num_heads: 8,
  relative_attention_num_buckets: 32,
  relative_attention_max_distance: 128,
  layer_norm_epsilon: 1e-6,
  feed_forward_proj: 'relu',
};

/** Names that a file may have beside these; where it has both, the library takes the others. */
const otherNames = {
  hidden_size: 'd_model',
  num_attention_heads: 'num_heads',
  num_hidden_layers: 'num_layers',
  head_dim: 'd_kv',
};

function t5Config(file: ConfigJson, apart: ReadonlySet<string>): T5Config {
  const json = renamed(file, otherNames);
  const type = String(json.model_type);
  const layers = json.num_layers ?? defaults.num_layers;
  const fields = new ConfigFields(type, json, {
    ...defaults,
    num_decoder_layers: layers,
    ...(type === 'mt5' && { feed_forward_proj: 'gated-gelu' }),
  });
  const buckets = fields.count('relative_attention_num_buckets');
  if (buckets < 4 || buckets % 4 !== 0)
    throw fields.error('relative_attention_num_buckets', `must be a multiple of 4, not ${buckets}`);
  const maxDistance = fields.count('relative_attention_max_distance');
  if (maxDistance <= buckets / 2)
    throw fields.error('relative_attention_max_distance', `must be above half of the buckets, not ${maxDistance}`);
  return {
    vocabSize: fields.count('vocab_size'),
    width: fields.count('d_model'),
    heads: fields.count('num_heads'),
    headSize: fields.count('d_kv'),
    inner: fields.count('d_ff'),
    encoderLayers: fields.layers('num_layers'),
    decoderLayers:
      fields.value('num_decoder_layers') === undefined ? Number(layers) : fields.layers('num_decoder_layers'),
    buckets,
    maxDistance,
    epsilon: fields.real('layer_norm_epsilon'),
    ...feedForwardOf(fields, json),
    scalesOutputs: scalesOutputs(type, fields, json),
    words: { encoder: tableName(tables.encoder, pairs, apart), decoder: tableName(tables.decoder, pairs, apart) },
    head: tableName(HEAD, pairs, apart),
  };
}

/**
 * `feed_forward_proj` is an activation or `gated-` and one; 'gated-gelu' means the tanh approximation, as in the first
 * T5 v1.1 checkpoints. What newer files derive from it is stored too, and wins.
 */
function feedForwardOf(fields: ConfigFields, json: ConfigJson): Pick<T5Config, 'activation' | 'gated'> {
  const parts = String(fields.value('feed_forward_proj')).split('-');
  if (parts.length > 2 || (parts.length === 2 && parts[0] !== 'gated'))
    throw fields.error(
      'feed_forward_proj',
      `is ${JSON.stringify(json.feed_forward_proj)}, not an activation or gated-…`,
    );
  const projection = new ConfigFields(fields.modelType, json, {
    dense_act_fn: parts.join('-') === 'gated-gelu' ? 'gelu_new' : parts.at(-1),
    is_gated_act: parts[0] === 'gated',
  });
  const isStored = 'dense_act_fn' in json;
  const known = isStored || activationNames.includes(parts.at(-1) as ActivationName);
  if (!known) fields.choice('feed_forward_proj', feedForwardNames);
  return { activation: projection.choice('dense_act_fn', activationNames), gated: projection.flag('is_gated_act') };
}

const feedForwardNames = activationNames.flatMap((name) => [name, `gated-${name}`]);

/**
 * Whether hidden states are scaled before the head: files of transformers 4 say so by `tie_word_embeddings`, newer ones by
 * `scale_decoder_outputs`. Word tables are tied whatever the former says. mT5's states are never scaled.
 */
function scalesOutputs(type: string, fields: ConfigFields, json: ConfigJson): boolean {
  if (type !== 't5') return false;
  return 'scale_decoder_outputs' in json ? fields.flag('scale_decoder_outputs') : json.tie_word_embeddings !== false;
}

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
    tiedTables: pairs,
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

/** All layers of a half share the first one's table. */
function positionBias(scope: SequenceScope, { buckets, maxDistance }: T5Config, half: 'encoder' | 'decoder'): Value {
  const options: BucketOptions = { buckets, maxDistance, bidirectional: half === 'encoder' };
  return relativePositionBias(scope.g, scope.parameter(biasName(half)), scope, options);
}

/** x + attention(norm(x)); the scores are not divided by √headSize, which T5 has in its initial weights instead. */
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

/** Initial deviations as in Mesh TensorFlow's T5: embeddings 1, the others by the width of their input. */
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

/** Left over in T5's first checkpoints; no bias is added to the scores against the source. */
function fromFile(tensors: HostTensors): HostTensors {
  const { 'decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight': _, ...result } = tensors;
  return result;
}
