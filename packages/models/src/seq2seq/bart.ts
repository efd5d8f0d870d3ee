// BART: its settings, its parameters, and its two halves as graph pieces.
// Source: Lewis et al. 2019 (arXiv:1910.13461); names and layout of Hugging Face's BartForConditionalGeneration.
import type { Value } from '@bowyer/graph';
import { activate, activationNames, type ActivationName } from '../layers/activations.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import { ConfigFields, type ConfigJson, type HostTensors } from '@bowyer/checkpoints';
import type { DecoderScope, EncoderDecoder, SequenceScope } from './encoder-decoder.js';

const SHARED = 'model.shared.weight';
const LOGITS_BIAS = 'final_logits_bias';
/** Rows that the position tables have before that of the first token. */
const POSITION_OFFSET = 2;
const EPSILON = 1e-5;

interface Half {
  prefix: 'model.encoder' | 'model.decoder';
  layers: number;
  heads: number;
  /** Width of the feed-forward layers. */
  inner: number;
}

interface BartConfig {
  vocabSize: number;
  width: number;
  maxPositions: number;
  activation: ActivationName;
  /** Embeddings are multiplied by √width. */
  scaleEmbedding: boolean;
  encoder: Half;
  decoder: Half;
  initializerRange: number;
}

/** What Hugging Face's BartConfig takes for a field that the file leaves out. */
const defaults: ConfigJson = {
  vocab_size: 50265,
  max_position_embeddings: 1024,
  encoder_layers: 12,
  encoder_ffn_dim: 4096,
  encoder_attention_heads: 16,
  decoder_layers: 12,
  decoder_ffn_dim: 4096,
  decoder_attention_heads: 16,
  activation_function: 'gelu',
  d_model: 1024,
  init_std: 0.02,
  scale_embedding: false,
};

function bartConfig(json: ConfigJson): BartConfig {
  const fields = new ConfigFields('bart', json, defaults);
  // Variants of the same code that other checkpoints are made with (mBART, Pegasus, the first releases).
  fields.refuse('normalize_before', false);
  fields.refuse('add_final_layer_norm', false);
  fields.refuse('static_position_embeddings', false);
  fields.refuse('normalize_embedding', true);
  fields.refuse('extra_pos_embeddings', POSITION_OFFSET);
  fields.refuse('tie_word_embeddings', true);
  const width = fields.count('d_model');
  const half = (name: 'encoder' | 'decoder'): Half => {
    const heads = fields.count(`${name}_attention_heads`);
    if (width % heads !== 0)
      throw fields.error(`${name}_attention_heads`, `is ${heads}, which does not divide d_model ${width}`);
    return {
      prefix: `model.${name}`,
      layers: fields.layers(`${name}_layers`),
      heads,
      inner: fields.count(`${name}_ffn_dim`),
    };
  };
  return {
    vocabSize: fields.count('vocab_size'),
    width,
    maxPositions: fields.count('max_position_embeddings'),
    activation: fields.choice('activation_function', activationNames),
    scaleEmbedding: fields.flag('scale_embedding'),
    encoder: half('encoder'),
    decoder: half('decoder'),
    initializerRange: fields.real('init_std'),
  };
}

export function bart(json: ConfigJson): EncoderDecoder {
  const config = bartConfig(json);
  const { width, decoder, encoder } = config;
  return {
    vocabSize: config.vocabSize,
    decoderLayers: decoder.layers,
    encoderHeads: encoder.heads,
    heads: decoder.heads,
    headSize: width / decoder.heads,
    sourceLimit: config.maxPositions,
    targetLimit: config.maxPositions,
    parameters: bartParameters(config),
    specialTokens: { decoderStart: 2, eos: 2, pad: 1, forcedEos: 2 },
    config: json,
    fromFile: (tensors) => fromFile(tensors, config),

    encode(scope, ids) {
      let x = embed(scope, config, encoder.prefix, ids);
      for (let layer = 0; layer < encoder.layers; layer++) {
        const name = `${encoder.prefix}.layers.${layer}`;
        x = selfAttention(scope, encoder, config, layer, x);
        x = feedForward(scope, config, name, x);
      }
      return x;
    },

    crossKeyValue(scope, layer, encoded) {
      const name = `${decoder.prefix}.layers.${layer}.encoder_attn`;
      return [affine(scope, encoded, `${name}.k_proj`), affine(scope, encoded, `${name}.v_proj`)];
    },

    decode(scope, ids) {
      let x = embed(scope, config, decoder.prefix, ids);
      for (let layer = 0; layer < decoder.layers; layer++) {
        const name = `${decoder.prefix}.layers.${layer}`;
        x = selfAttention(scope, decoder, config, layer, x);
        x = crossAttention(scope, config, layer, x);
        x = feedForward(scope, config, name, x);
      }
      return x;
    },

    logits: (scope, hidden) => scope.g.add(scope.linear(hidden, SHARED), scope.parameter(LOGITS_BIAS)),
  };
}

/** norm(words · √width or 1 + places): rows [batch · tokens, width]. */
function embed(scope: SequenceScope, config: BartConfig, prefix: string, ids: Value): Value {
  const { g } = scope;
  const words = g.gather(scope.parameter(SHARED), ids, 0);
  const scaled = config.scaleEmbedding ? g.mul(words, Math.sqrt(config.width)) : words;
  const places = g.gather(
    scope.parameter(`${prefix}.embed_positions.weight`),
    g.add(scope.positions, POSITION_OFFSET),
    0,
  );
  return norm(scope, g.reshape(g.add(scaled, places), [-1, config.width]), `${prefix}.layernorm_embedding`);
}

/** norm(x + attention(x)). */
function selfAttention(scope: SequenceScope, half: Half, { width }: BartConfig, layer: number, x: Value): Value {
  const name = `${half.prefix}.layers.${layer}.self_attn`;
  const [query, key, value] = ['q_proj', 'k_proj', 'v_proj'].map((part) => affine(scope, x, `${name}.${part}`));
  const mixed = scope.selfAttention(layer, query, key, value, { scale: 1 / Math.sqrt(width / half.heads) });
  return norm(scope, scope.g.add(x, affine(scope, mixed, `${name}.out_proj`)), `${name}_layer_norm`);
}

function crossAttention(scope: DecoderScope, { decoder, width }: BartConfig, layer: number, x: Value): Value {
  const name = `${decoder.prefix}.layers.${layer}.encoder_attn`;
  const query = affine(scope, x, `${name}.q_proj`);
  const mixed = scope.crossAttention(layer, query, { scale: 1 / Math.sqrt(width / decoder.heads) });
  return norm(scope, scope.g.add(x, affine(scope, mixed, `${name}.out_proj`)), `${name}_layer_norm`);
}

function feedForward(scope: SequenceScope, config: BartConfig, name: string, x: Value): Value {
  const inner = activate(scope.g, config.activation, affine(scope, x, `${name}.fc1`));
  return norm(scope, scope.g.add(x, affine(scope, inner, `${name}.fc2`)), `${name}.final_layer_norm`);
}

const affine = (scope: Pick<SequenceScope, 'linear'>, x: Value, name: string) =>
  scope.linear(x, `${name}.weight`, `${name}.bias`);

const norm = (scope: SequenceScope, x: Value, name: string) =>
  scope.g.layerNormalization(x, scope.parameter(`${name}.weight`), scope.parameter(`${name}.bias`), {
    epsilon: EPSILON,
  });

function bartParameters({ vocabSize, width, maxPositions, encoder, decoder, initializerRange }: BartConfig) {
  const normal = { kind: 'normal', standardDeviation: initializerRange } as const;
  const zeros = { kind: 'zeros' } as const;
  const specs: ParameterSpec[] = [
    { name: SHARED, shape: [vocabSize, width], init: normal },
    { name: LOGITS_BIAS, shape: [1, vocabSize], init: zeros },
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
    specs.push({
      name: `${prefix}.embed_positions.weight`,
      shape: [maxPositions + POSITION_OFFSET, width],
      init: normal,
    });
    layerNorm(`${prefix}.layernorm_embedding`);
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

/** BartModel's checkpoints lack the prefix `model.`; the embedding may be stored once per half, the bias not at all. */
function fromFile(tensors: HostTensors, { vocabSize }: BartConfig): HostTensors {
  const result: HostTensors = {};
  for (const [name, tensor] of Object.entries(tensors))
    result[/^(encoder|decoder|shared)\./.test(name) ? `model.${name}` : name] = tensor;
  const copies = ['model.encoder.embed_tokens.weight', 'model.decoder.embed_tokens.weight', 'lm_head.weight'];
  const shared = [SHARED, ...copies].find((name) => name in result);
  if (shared) result[SHARED] = result[shared];
  for (const name of copies) delete result[name];
  result[LOGITS_BIAS] ??= { shape: [1, vocabSize], data: new Float32Array(vocabSize) };
  return result;
}
