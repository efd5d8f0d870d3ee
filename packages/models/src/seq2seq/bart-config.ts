// Reads the settings of BART, Marian and Pegasus, which share an architecture with three arrangements of norms and positions.
// Sources: Lewis et al. 2019 (arXiv:1910.13461), Junczys-Dowmunt et al. 2018 (arXiv:1804.00344), Zhang et al. 2019 (arXiv:1912.08777).
import { activationNames, type ActivationName } from '../layers/activations.js';
import { ConfigFields, type ConfigJson } from '@bowyer/checkpoints';
import type { SpecialTokenDefaults } from './encoder-decoder.js';
import { renamed } from '../architecture/other-names.js';
import { tableName, type TiedPair } from './tied-tables.js';

type BartType = 'bart' | 'marian' | 'pegasus';

interface Arrangement {
  /** Whether positions are sines and cosines. Otherwise they are a learned table, with two rows before that of position 0. */
  sinusoidal: boolean;
  /** Whether norms precede attention and feed-forward layers (pre-norm), with one after the last layer; else they follow them. */
  normFirst: boolean;
  /** Whether a norm follows the embeddings. */
  embeddingNorm: boolean;
  specialTokens: SpecialTokenDefaults;
  vocabSize: number;
  /** The fields of older config.json files that describe norms and positions, with the values that they must have. */
  stated: Readonly<Record<string, unknown>>;
}

const arrangements: Record<BartType, Arrangement> = {
  bart: {
    sinusoidal: false,
    normFirst: false,
    embeddingNorm: true,
    specialTokens: { decoderStart: 2, eos: 2, pad: 1, forcedEos: 2 },
    vocabSize: 50265,
    stated: {
      normalize_before: false,
      add_final_layer_norm: false,
      static_position_embeddings: false,
      normalize_embedding: true,
      extra_pos_embeddings: 2,
    },
  },
  marian: {
    sinusoidal: true,
    normFirst: false,
    embeddingNorm: false,
    specialTokens: { decoderStart: 58100, eos: 0, pad: 58100, forcedEos: 0 },
    vocabSize: 58101,
    stated: {
      normalize_before: false,
      add_final_layer_norm: false,
      static_position_embeddings: true,
      normalize_embedding: false,
    },
  },
  pegasus: {
    sinusoidal: true,
    normFirst: true,
    embeddingNorm: false,
    specialTokens: { decoderStart: 0, eos: 1, pad: 0, forcedEos: 1 },
    vocabSize: 50265,
    stated: {
      normalize_before: true,
      add_final_layer_norm: true,
      static_position_embeddings: true,
      normalize_embedding: false,
    },
  },
};

/** The settings of one half of the model, the encoder or the decoder. */
export interface Half {
  prefix: 'model.encoder' | 'model.decoder';
  layers: number;
  heads: number;
  /** Width of the feed-forward layers. */
  inner: number;
  vocabSize: number;
  /** The name of the parameter with the word embeddings of this half. */
  words: string;
}

export interface BartConfig extends Arrangement {
  width: number;
  maxPositions: number;
  activation: ActivationName;
  /** Whether embeddings are multiplied by √width. */
  scaleEmbedding: boolean;
  encoder: Half;
  decoder: Half;
  /** The name of the parameter with the LM head's weight. */
  head: string;
  /** Pairs of embedding tables (or of one and the head) that share their weights unless a checkpoint has both. */
  pairs: readonly TiedPair[];
  initializerRange: number;
}

/** The defaults of the classes in transformers, for fields that the file omits. */
const defaults: ConfigJson = {
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
  tie_word_embeddings: true,
  share_encoder_decoder_embeddings: true,
};

/** Other names of fields; if a file has both, the other name counts, as in transformers. */
const otherNames = {
  hidden_size: 'd_model',
  num_attention_heads: 'encoder_attention_heads',
  num_hidden_layers: 'encoder_layers',
};

const SHARED = 'model.shared.weight';
const HEAD = 'lm_head.weight';
const tables = { encoder: 'model.encoder.embed_tokens.weight', decoder: 'model.decoder.embed_tokens.weight' } as const;

/** @param apart the names of embedding tables that are separate in the checkpoint although they are tied by default */
export function bartConfig(json: ConfigJson, apart: ReadonlySet<string>): BartConfig {
  const type = json.model_type as BartType;
  const arrangement = arrangements[type];
  const fields = new ConfigFields(type, renamed(json, otherNames), { ...defaults, vocab_size: arrangement.vocabSize });
  for (const [field, value] of Object.entries(arrangement.stated)) fields.refuse(field, value);
  const width = fields.count('d_model');
  const vocabSize = fields.count('vocab_size');
  const isShared = type !== 'marian' || fields.flag('share_encoder_decoder_embeddings');
  const pairs: TiedPair[] = isShared
    ? [HEAD, tables.decoder, tables.encoder].map((copy) => [copy, SHARED])
    : [[HEAD, tables.decoder]];
  const isTied = fields.flag('tie_word_embeddings');
  const own = isTied ? apart : new Set(pairs.map(([copy]) => copy));
  const half = (name: 'encoder' | 'decoder'): Half => {
    const heads = fields.count(`${name}_attention_heads`);
    if (width % heads !== 0)
      throw fields.error(`${name}_attention_heads`, `is ${heads}, which does not divide d_model ${width}`);
    return {
      prefix: `model.${name}`,
      layers: fields.layers(`${name}_layers`),
      heads,
      inner: fields.count(`${name}_ffn_dim`),
      vocabSize,
      words: tableName(tables[name], pairs, own),
    };
  };
  const decoder = half('decoder');
  if (!isShared && fields.value('decoder_vocab_size')) decoder.vocabSize = fields.count('decoder_vocab_size');
  return {
    ...arrangement,
    width,
    maxPositions: fields.count('max_position_embeddings'),
    activation: fields.choice('activation_function', activationNames),
    scaleEmbedding: fields.flag('scale_embedding'),
    encoder: half('encoder'),
    decoder,
    head: tableName(HEAD, pairs, own),
    pairs: isTied ? pairs : [],
    initializerRange: fields.real('init_std'),
  };
}
