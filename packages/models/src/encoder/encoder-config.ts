// The settings of BERT, RoBERTa, ALBERT and DistilBERT, as their config.json has them, checked.
import type { PretrainedConfig } from '../pretrained-config.js';

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
  activation: 'gelu' | 'gelu_new' | 'relu';
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

/** Settings from the contents of `config.json`; what it leaves out has the value of Hugging Face's classes. */
export function encoderConfigFromJson(json: PretrainedConfig): EncoderConfig {
  const modelType = json.model_type;
  const known = Object.keys(architectures)
    .map((name) => `"${name}"`)
    .join(', ');
  if (!isKnown(modelType)) {
    throw new RangeError(
      `encoder config: model_type is ${JSON.stringify(modelType)}; a critic's encoder can be ${known}`,
    );
  }
  const number = (key: string, otherwise?: number): number => {
    const value = json[key] ?? otherwise;
    if (typeof value !== 'number')
      throw new TypeError(`encoder config: ${key} must be a number, found ${JSON.stringify(json[key])}`);
    return value;
  };
  const keys = keysOf(modelType);
  const config: EncoderConfig = {
    modelType,
    vocabSize: number('vocab_size'),
    hiddenSize: number(keys.width),
    numLayers: number(keys.layers),
    numHeads: number(keys.heads),
    intermediateSize: number(keys.inner),
    maxPositions: number('max_position_embeddings'),
    typeVocabSize: modelType === 'distilbert' ? 0 : number('type_vocab_size', 2),
    layerNormEps: modelType === 'distilbert' ? 1e-12 : number('layer_norm_eps', 1e-12),
    padTokenId: number('pad_token_id', modelType === 'roberta' ? 1 : 0),
    activation: (json[keys.activation] ??
      (modelType === 'albert' ? 'gelu_new' : 'gelu')) as EncoderConfig['activation'],
    ...(modelType === 'albert' && {
      albert: {
        embeddingSize: number('embedding_size', 128),
        numGroups: number('num_hidden_groups', 1),
        layersPerGroup: number('inner_group_num', 1),
      },
    }),
  };
  checkEncoderConfig(config, json);
  return config;
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

function checkEncoderConfig(config: EncoderConfig, json: PretrainedConfig): void {
  const { hiddenSize, numHeads, activation } = config;
  const keys = keysOf(config.modelType);
  if (hiddenSize % numHeads !== 0) {
    throw new RangeError(`encoder config: ${keys.width} ${hiddenSize} is no multiple of ${keys.heads} ${numHeads}`);
  }
  if (!['gelu', 'gelu_new', 'relu'].includes(activation)) {
    throw new RangeError(`encoder config: ${keys.activation} is "${activation}"; gelu, gelu_new and relu are known`);
  }
  const positions = json.position_embedding_type ?? 'absolute';
  if (positions !== 'absolute') {
    throw new RangeError(
      `encoder config: position_embedding_type is ${JSON.stringify(positions)}; only "absolute" is known`,
    );
  }
}
