// The settings of BERT, RoBERTa, ALBERT and DistilBERT, as their config.json has them, checked.
import { activationNames, type ActivationName } from '../layers/activations.js';
import {
  ConfigFields,
  type ConfigJson,
  fromConfigFile,
  type PretrainedConfig,
  UnsupportedConfigError,
} from '@bowyer/checkpoints';

export interface EncoderConfig {
  /** RoBERTa differs in its position ids: they begin behind the padding id. */
  modelType: 'bert' | 'roberta' | 'albert' | 'distilbert';
  vocabSize: number;
  hiddenSize: number;
  numLayers: number;
  numHeads: number;
  /** Width of the feed-forward layer. */
  intermediateSize: number;
  /** Rows of the position table. RoBERTa can use two fewer. */
  maxPositions: number;
  /** Rows of the table of token types; 0 in DistilBERT, which has none. */
  typeVocabSize: number;
  layerNormEps: number;
  padTokenId: number;
  activation: ActivationName;
  /** ALBERT's savings: a narrow word table, and layers that share their weights. */
  albert?: {
    /** Width of the embeddings; a linear map brings them to hiddenSize. */
    embeddingSize: number;
    /** Groups of layers with weights of their own; usually 1. */
    numGroups: number;
    /** Layers with weights of their own in a group, all passed each time; usually 1. */
    layersPerGroup: number;
  };
}

const architectures: Record<EncoderConfig['modelType'], string> = {
  bert: 'BertModel',
  roberta: 'RobertaModel',
  albert: 'AlbertModel',
  distilbert: 'DistilBertModel',
};

/** What config.json calls the settings that DistilBERT has other names for. */
const keysOf = (modelType: EncoderConfig['modelType']) =>
  modelType === 'distilbert'
    ? { width: 'dim', layers: 'n_layers', heads: 'n_heads', inner: 'hidden_dim', activation: 'activation' }
    : {
        width: 'hidden_size',
        layers: 'num_hidden_layers',
        heads: 'num_attention_heads',
        inner: 'intermediate_size',
        activation: 'hidden_act',
      };

const isKnown = (modelType: unknown): modelType is EncoderConfig['modelType'] =>
  typeof modelType === 'string' && Object.hasOwn(architectures, modelType);

/** Position of the first token: 0 in BERT; RoBERTa counts from padTokenId + 1 = 2. */
export const firstPosition = ({ modelType, padTokenId }: EncoderConfig): number =>
  modelType === 'roberta' ? padTokenId + 1 : 0;

/** Most tokens of one text. */
export const maxTokens = (config: EncoderConfig): number => config.maxPositions - firstPosition(config);

/** Whether the `model_type` is that of an encoder that can be built. */
export const isEncoder = ({ model_type: modelType }: ConfigJson): boolean => isKnown(modelType);

/**
 * Settings from the contents of `config.json`; what it leaves out has the value of Hugging Face's classes.
 * Throws `UnsupportedConfigError`, which names the field.
 *
 * @param path where the contents come from, for the message
 */
export function encoderConfigFromJson(json: PretrainedConfig, path = 'config.json'): EncoderConfig {
  const modelType = json.model_type;
  if (!isKnown(modelType)) {
    const known = Object.keys(architectures).join(', ');
    const found = modelType === undefined ? 'missing' : JSON.stringify(modelType);
    throw new UnsupportedConfigError(null, 'model_type', `is ${found}; a critic's encoder can be ${known}`, path);
  }
  return fromConfigFile(path, () => configOf(modelType, new ConfigFields(modelType, json, defaultsOf(modelType))));
}

const defaultsOf = (modelType: EncoderConfig['modelType']): ConfigJson => ({
  type_vocab_size: 2,
  layer_norm_eps: 1e-12,
  pad_token_id: modelType === 'roberta' ? 1 : 0,
  [keysOf(modelType).activation]: modelType === 'albert' ? 'gelu_new' : 'gelu',
  embedding_size: 128,
  num_hidden_groups: 1,
  inner_group_num: 1,
});

function configOf(modelType: EncoderConfig['modelType'], fields: ConfigFields): EncoderConfig {
  const keys = keysOf(modelType);
  fields.refuse('position_embedding_type', 'absolute');
  fields.refuse('is_decoder', false);
  const [hiddenSize, numHeads] = [fields.count(keys.width), fields.count(keys.heads)];
  if (hiddenSize % numHeads !== 0)
    throw fields.error(keys.width, `is ${hiddenSize}, not a multiple of ${keys.heads} ${numHeads}`);
  const vocabSize = fields.count('vocab_size');
  const padTokenId = fields.real('pad_token_id');
  if (!Number.isInteger(padTokenId) || padTokenId >= vocabSize)
    throw fields.error('pad_token_id', `is ${padTokenId}, not a token id below vocab_size ${vocabSize}`);
  return {
    modelType,
    vocabSize,
    hiddenSize,
    numLayers: fields.layers(keys.layers),
    numHeads,
    intermediateSize: fields.count(keys.inner),
    maxPositions: fields.count('max_position_embeddings'),
    typeVocabSize: modelType === 'distilbert' ? 0 : fields.count('type_vocab_size'),
    layerNormEps: modelType === 'distilbert' ? 1e-12 : fields.real('layer_norm_eps'),
    padTokenId,
    activation: fields.choice(keys.activation, activationNames),
    ...(modelType === 'albert' && {
      albert: {
        embeddingSize: fields.count('embedding_size'),
        numGroups: fields.layers('num_hidden_groups'),
        layersPerGroup: fields.layers('inner_group_num'),
      },
    }),
  };
}

/** The same as `config.json`. */
export function encoderConfigToJson(config: EncoderConfig): PretrainedConfig {
  const keys = keysOf(config.modelType);
  return {
    architectures: [architectures[config.modelType]],
    model_type: config.modelType,
    vocab_size: config.vocabSize,
    [keys.width]: config.hiddenSize,
    [keys.layers]: config.numLayers,
    [keys.heads]: config.numHeads,
    [keys.inner]: config.intermediateSize,
    max_position_embeddings: config.maxPositions,
    pad_token_id: config.padTokenId,
    [keys.activation]: config.activation,
    ...(config.modelType !== 'distilbert' && {
      type_vocab_size: config.typeVocabSize,
      layer_norm_eps: config.layerNormEps,
      position_embedding_type: 'absolute',
    }),
    ...(config.albert && {
      embedding_size: config.albert.embeddingSize,
      num_hidden_groups: config.albert.numGroups,
      inner_group_num: config.albert.layersPerGroup,
    }),
  };
}
