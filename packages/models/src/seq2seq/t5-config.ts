// Reads and checks the settings of T5, Flan-T5 and mT5 in config.json.
import { activationNames, type ActivationName } from '../layers/activations.js';
import { renamed } from '../architecture/other-names.js';
import { ConfigFields, type ConfigJson } from '@bowyer/checkpoints';
import { tableName, type TiedPair } from './tied-tables.js';

const SHARED = 'shared.weight';
const HEAD = 'lm_head.weight';
const tables = { encoder: 'encoder.embed_tokens.weight', decoder: 'decoder.embed_tokens.weight' } as const;
/** The embedding tables and the head's weight, which share their weights with one table unless a checkpoint has separate ones. */
export const t5Tables: readonly TiedPair[] = [tables.encoder, tables.decoder, HEAD].map((copy) => [copy, SHARED]);

export interface T5Config {
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
  /** Whether the feed-forward layer is act(x W₀) ⊙ x W₁ instead of act(x W), before its output projection. */
  gated: boolean;
  /** Whether hidden states are multiplied by 1/√width before the head. */
  scalesOutputs: boolean;
  /** The names of the word tables of encoder and decoder and of the head's table, which are the same unless a file has separate ones. */
  words: { encoder: string; decoder: string };
  head: string;
}

/** The defaults of Hugging Face's T5Config, for fields that the file omits. */
const t5: ConfigJson = {
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

const defaultsByType: Readonly<Record<string, ConfigJson>> = {
  t5,
  mt5: { ...t5, vocab_size: 250112, d_ff: 1024, num_layers: 8, num_heads: 6, feed_forward_proj: 'gated-gelu' },
};

/** Other names of fields; if a file has both, the other name counts, as in transformers. */
const otherNames = {
  hidden_size: 'd_model',
  num_attention_heads: 'num_heads',
  num_hidden_layers: 'num_layers',
  head_dim: 'd_kv',
};

/** @param apart the names of embedding tables that are separate in the checkpoint although they are tied by default */
export function t5Config(file: ConfigJson, apart: ReadonlySet<string>): T5Config {
  const json = renamed(file, otherNames);
  const type = String(json.model_type);
  const defaults = defaultsByType[type] ?? t5;
  const layers = json.num_layers ?? defaults.num_layers;
  const fields = new ConfigFields(type, json, { ...defaults, num_decoder_layers: layers });
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
    words: { encoder: tableName(tables.encoder, t5Tables, apart), decoder: tableName(tables.decoder, t5Tables, apart) },
    head: tableName(HEAD, t5Tables, apart),
  };
}

/**
 * Reads `feed_forward_proj`: the name of an activation, possibly after `gated-`; 'gated-gelu' means the tanh approximation, as in the
 * first T5 v1.1 checkpoints. Newer files also have the fields that follow from it, which take precedence.
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
 * Returns whether hidden states are scaled before the head: files of transformers 4 say so by `tie_word_embeddings`, newer ones by
 * `scale_decoder_outputs`. (Word tables are tied whatever `tie_word_embeddings` says.) mT5's states are never scaled.
 */
function scalesOutputs(type: string, fields: ConfigFields, json: ConfigJson): boolean {
  if (type !== 't5') return false;
  return 'scale_decoder_outputs' in json ? fields.flag('scale_decoder_outputs') : json.tie_word_embeddings !== false;
}
