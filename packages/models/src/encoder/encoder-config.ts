// BERT's and RoBERTa's settings, as their config.json has them, checked.
import type { PretrainedConfig } from '../pretrained-config.js';

export interface EncoderConfig {
  /** RoBERTa differs in its position ids: they begin behind the padding id. */
  modelType: 'bert' | 'roberta';
  vocabSize: number;
  hiddenSize: number;
  numLayers: number;
  numHeads: number;
  /** Width of the feed-forward layer. */
  intermediateSize: number;
  /** Rows of the position table. RoBERTa can use two fewer. */
  maxPositions: number;
  typeVocabSize: number;
  layerNormEps: number;
  padTokenId: number;
  activation: 'gelu' | 'gelu_new' | 'relu';
}

/** Position of the first token: 0 in BERT; RoBERTa counts from padTokenId + 1 = 2. */
export const firstPosition = ({ modelType, padTokenId }: EncoderConfig): number =>
  modelType === 'roberta' ? padTokenId + 1 : 0;

/** Most tokens of one text. */
export const maxTokens = (config: EncoderConfig): number => config.maxPositions - firstPosition(config);

/** Settings from the contents of `config.json`; what it leaves out has the value of Hugging Face's classes. */
export function encoderConfigFromJson(json: PretrainedConfig): EncoderConfig {
  const modelType = json.model_type;
  if (modelType !== 'bert' && modelType !== 'roberta') {
    throw new RangeError(
      `encoder config: model_type is ${JSON.stringify(modelType)}; a critic's encoder can be "bert" or "roberta"`,
    );
  }
  const number = (key: string, otherwise?: number): number => {
    const value = json[key] ?? otherwise;
    if (typeof value !== 'number')
      throw new TypeError(`encoder config: ${key} must be a number, found ${JSON.stringify(json[key])}`);
    return value;
  };
  const config: EncoderConfig = {
    modelType,
    vocabSize: number('vocab_size'),
    hiddenSize: number('hidden_size'),
    numLayers: number('num_hidden_layers'),
    numHeads: number('num_attention_heads'),
    intermediateSize: number('intermediate_size'),
    maxPositions: number('max_position_embeddings'),
    typeVocabSize: number('type_vocab_size', 2),
    layerNormEps: number('layer_norm_eps', 1e-12),
    padTokenId: number('pad_token_id', modelType === 'roberta' ? 1 : 0),
    activation: (json.hidden_act ?? 'gelu') as EncoderConfig['activation'],
  };
  checkEncoderConfig(config, json);
  return config;
}

/** The same as `config.json`. */
export const encoderConfigToJson = (config: EncoderConfig): PretrainedConfig => ({
  architectures: [config.modelType === 'bert' ? 'BertModel' : 'RobertaModel'],
  model_type: config.modelType,
  vocab_size: config.vocabSize,
  hidden_size: config.hiddenSize,
  num_hidden_layers: config.numLayers,
  num_attention_heads: config.numHeads,
  intermediate_size: config.intermediateSize,
  max_position_embeddings: config.maxPositions,
  type_vocab_size: config.typeVocabSize,
  layer_norm_eps: config.layerNormEps,
  pad_token_id: config.padTokenId,
  hidden_act: config.activation,
  position_embedding_type: 'absolute',
});

function checkEncoderConfig({ hiddenSize, numHeads, activation }: EncoderConfig, json: PretrainedConfig): void {
  if (hiddenSize % numHeads !== 0) {
    throw new RangeError(`encoder config: hidden_size ${hiddenSize} is no multiple of num_attention_heads ${numHeads}`);
  }
  if (!['gelu', 'gelu_new', 'relu'].includes(activation)) {
    throw new RangeError(`encoder config: hidden_act is "${activation}"; gelu, gelu_new and relu are known`);
  }
  const positions = json.position_embedding_type ?? 'absolute';
  if (positions !== 'absolute') {
    throw new RangeError(
      `encoder config: position_embedding_type is ${JSON.stringify(positions)}; only "absolute" is known`,
    );
  }
}
