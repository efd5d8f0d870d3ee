// Reads and checks the settings of text encoders in config.json: those of BERT and its relatives here, those of DeBERTa and ModernBERT
// in their own files.
import { activationNames, type ActivationName } from '../layers/activations.js';
import {
  ConfigFields,
  type ConfigJson,
  fromConfigFile,
  type PretrainedConfig,
  UnsupportedConfigError,
} from '@bowyer/checkpoints';
import { renamed } from '../architecture/other-names.js';
import { debertaDefaults, debertaFromJson, debertaToJson, type DebertaSettings } from './deberta-config.js';
import {
  modernBertDefaults,
  modernBertFromJson,
  modernBertToJson,
  type ModernBertSettings,
} from './modernbert-config.js';

export type EncoderType =
  | 'bert'
  | 'roberta'
  | 'xlm-roberta'
  | 'camembert'
  | 'albert'
  | 'distilbert'
  | 'electra'
  | 'deberta-v2'
  | 'modernbert';

export interface EncoderConfig {
  /** The `model_type` in config.json; DeBERTa v3 has deberta-v2. */
  modelType: EncoderType;
  vocabSize: number;
  hiddenSize: number;
  numLayers: number;
  numHeads: number;
  /** Width of the feed-forward layer. */
  intermediateSize: number;
  /** The number of rows of the position table; RoBERTa reads two tokens fewer, since its positions begin at 2. */
  maxPositions: number;
  /** The number of rows of the token-type table; 0 if there is none, as in DistilBERT. */
  typeVocabSize: number;
  layerNormEps: number;
  padTokenId: number;
  activation: ActivationName;
  /** The settings of ALBERT, whose word embeddings are narrower than hidden states, and whose layers share weights. */
  albert?: {
    /** Width of the word embeddings; a linear layer maps them to hiddenSize. */
    embeddingSize: number;
    /** The number of groups of layers with different weights; usually 1. */
    numGroups: number;
    /** The number of layers with different weights in a group, which are applied in turn; usually 1. */
    layersPerGroup: number;
  };
  electra?: {
    /** Width of the word embeddings; a linear layer maps them to hiddenSize where they differ. */
    embeddingSize: number;
  };
  deberta?: DebertaSettings;
  modernbert?: ModernBertSettings;
}

/** For each encoder: its class in transformers, and its attribute in a model with a head, a prefix of weights' names. */
const classes: Record<EncoderType, { name: string; prefix: string }> = {
  bert: { name: 'BertModel', prefix: 'bert' },
  roberta: { name: 'RobertaModel', prefix: 'roberta' },
  'xlm-roberta': { name: 'XLMRobertaModel', prefix: 'roberta' },
  camembert: { name: 'CamembertModel', prefix: 'roberta' },
  albert: { name: 'AlbertModel', prefix: 'albert' },
  distilbert: { name: 'DistilBertModel', prefix: 'distilbert' },
  electra: { name: 'ElectraModel', prefix: 'electra' },
  'deberta-v2': { name: 'DebertaV2Model', prefix: 'deberta' },
  modernbert: { name: 'ModernBertModel', prefix: 'model' },
};

/** The values of `model_type` that are supported. */
export const encoderTypes: readonly string[] = Object.keys(classes);

/** Returns the prefix of the encoder's weights in a checkpoint of a model with a head. */
export const headPrefix = ({ modelType }: EncoderConfig): string => `${classes[modelType].prefix}.`;

/** Returns whether the encoder is RoBERTa or a multilingual or French model with the same code. */
export const isRoberta = ({ modelType }: Pick<EncoderConfig, 'modelType'>): boolean =>
  classes[modelType].prefix === 'roberta';

const bertKeys = {
  width: 'hidden_size',
  layers: 'num_hidden_layers',
  heads: 'num_attention_heads',
  inner: 'intermediate_size',
  activation: 'hidden_act',
  epsilon: 'layer_norm_eps',
};

/** Returns the names of the fields in config.json, which differ between families. */
function keysOf(modelType: EncoderType): typeof bertKeys {
  if (modelType === 'modernbert') return { ...bertKeys, activation: 'hidden_activation', epsilon: 'norm_eps' };
  if (modelType !== 'distilbert') return bertKeys;
  const other = { width: 'dim', layers: 'n_layers', heads: 'n_heads', inner: 'hidden_dim', activation: 'activation' };
  return { ...bertKeys, ...other };
}

const isKnown = (modelType: unknown): modelType is EncoderType =>
  typeof modelType === 'string' && Object.hasOwn(classes, modelType);

/** Returns the position of the first token: 0 in BERT; RoBERTa counts from padTokenId + 1 = 2. */
export const firstPosition = (config: EncoderConfig): number => (isRoberta(config) ? config.padTokenId + 1 : 0);

/** Returns the largest number of tokens of a text that the encoder can read. */
export const maxTokens = (config: EncoderConfig): number => config.maxPositions - firstPosition(config);

/** Returns whether the `model_type` is that of a supported encoder. */
export const isEncoder = ({ model_type: modelType }: ConfigJson): boolean => isKnown(modelType);

/**
 * Reads settings from the contents of `config.json`; omitted fields have the defaults of Hugging Face's classes.
 *
 * @param path the origin of the contents, for error messages
 * @throws UnsupportedConfigError, which names the field
 */
export function encoderConfigFromJson(json: PretrainedConfig, path = 'config.json'): EncoderConfig {
  const modelType = json.model_type;
  if (!isKnown(modelType)) {
    const known = Object.keys(classes).join(', ');
    const found = modelType === undefined ? 'missing' : JSON.stringify(modelType);
    throw new UnsupportedConfigError(null, 'model_type', `is ${found}; a critic's encoder can be ${known}`, path);
  }
  return fromConfigFile(path, () => configOf(modelType, json));
}

const defaultsOf = (modelType: EncoderType): ConfigJson => ({
  type_vocab_size: 2,
  layer_norm_eps: 1e-12,
  pad_token_id: isRoberta({ modelType }) ? 1 : 0,
  [keysOf(modelType).activation]: modelType === 'albert' ? 'gelu_new' : 'gelu',
  embedding_size: 128,
  num_hidden_groups: 1,
  inner_group_num: 1,
  ...(modelType === 'deberta-v2' && debertaDefaults),
  ...(modelType === 'modernbert' && modernBertDefaults),
});

/** Alternative field names in DistilBERT's files; where a file has both, transformers reads these. */
const distilbertNames = { hidden_size: 'dim', num_hidden_layers: 'n_layers', num_attention_heads: 'n_heads' };

function configOf(modelType: EncoderType, file: ConfigJson): EncoderConfig {
  const json = modelType === 'distilbert' ? renamed(file, distilbertNames) : file;
  const fields = new ConfigFields(modelType, json, defaultsOf(modelType));
  const keys = keysOf(modelType);
  fields.refuse('quantization_config');
  fields.refuse('per_layer_config');
  fields.refuse('position_embedding_type', 'absolute');
  fields.refuse('is_decoder', false);
  fields.refuse('add_cross_attention', false);
  const [hiddenSize, numHeads] = [fields.count(keys.width), fields.count(keys.heads)];
  if (hiddenSize % numHeads !== 0)
    throw fields.error(keys.width, `is ${hiddenSize}, not a multiple of ${keys.heads} ${numHeads}`);
  const vocabSize = fields.count('vocab_size');
  const padTokenId = fields.real('pad_token_id');
  if (!Number.isInteger(padTokenId) || padTokenId >= vocabSize)
    throw fields.error('pad_token_id', `is ${padTokenId}, not a token id below vocab_size ${vocabSize}`);
  const config: EncoderConfig = {
    modelType,
    vocabSize,
    hiddenSize,
    numLayers: fields.layers(keys.layers),
    numHeads,
    intermediateSize: fields.count(keys.inner),
    maxPositions: fields.count('max_position_embeddings'),
    typeVocabSize: typeVocabSize(modelType, fields),
    layerNormEps: modelType === 'distilbert' ? 1e-12 : fields.real(keys.epsilon),
    padTokenId,
    activation: fields.choice(keys.activation, activationNames),
  };
  return { ...config, ...familySettings(config, fields, json) };
}

/** Reads the number of token types: DistilBERT and ModernBERT have none, DeBERTa may have none. */
function typeVocabSize(modelType: EncoderType, fields: ConfigFields): number {
  if (modelType === 'distilbert' || modelType === 'modernbert') return 0;
  const isAbsent = modelType === 'deberta-v2' && fields.value('type_vocab_size') === 0;
  return isAbsent ? 0 : fields.count('type_vocab_size');
}

/** Reads the settings that only one family has. */
function familySettings(config: EncoderConfig, fields: ConfigFields, json: ConfigJson): Partial<EncoderConfig> {
  switch (config.modelType) {
    case 'albert': {
      const embeddingSize = fields.count('embedding_size');
      const numGroups = fields.layers('num_hidden_groups');
      return { albert: { embeddingSize, numGroups, layersPerGroup: fields.layers('inner_group_num') } };
    }
    case 'electra':
      return { electra: { embeddingSize: fields.count('embedding_size') } };
    case 'deberta-v2':
      return { deberta: debertaFromJson(fields, config) };
    case 'modernbert':
      return { modernbert: modernBertFromJson(fields, json, config) };
    default:
      return {};
  }
}

/** Returns an encoder's settings as the fields of `config.json`. */
export function encoderConfigToJson(config: EncoderConfig): PretrainedConfig {
  const { modelType, albert, electra, deberta, modernbert } = config;
  const keys = keysOf(modelType);
  const hasTypes = modelType !== 'distilbert' && !modernbert;
  return {
    architectures: [classes[modelType].name],
    model_type: modelType,
    vocab_size: config.vocabSize,
    [keys.width]: config.hiddenSize,
    [keys.layers]: config.numLayers,
    [keys.heads]: config.numHeads,
    [keys.inner]: config.intermediateSize,
    max_position_embeddings: config.maxPositions,
    pad_token_id: config.padTokenId,
    [keys.activation]: config.activation,
    ...(modelType !== 'distilbert' && { [keys.epsilon]: config.layerNormEps }),
    ...(hasTypes && { type_vocab_size: config.typeVocabSize }),
    ...(hasTypes && !deberta && { position_embedding_type: 'absolute' }),
    ...(albert && {
      embedding_size: albert.embeddingSize,
      num_hidden_groups: albert.numGroups,
      inner_group_num: albert.layersPerGroup,
    }),
    ...(electra && { embedding_size: electra.embeddingSize }),
    ...(deberta && debertaToJson(deberta)),
    ...(modernbert && modernBertToJson(modernbert)),
  };
}
