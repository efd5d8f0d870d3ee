// The masked-LM head of BERT, RoBERTa, ALBERT and DistilBERT: hidden states → a logit for every word of the vocabulary.
import type { GraphBuilder, Value } from '@bowyer/graph';
import { activate } from '../layers/activations.js';
import { linear, type Parameters } from '../layers/linear.js';
import type { EncoderConfig } from './encoder-config.js';

interface HeadNames {
  /** Hidden → width of the word table; `.weight` and `.bias` follow. */
  dense: string;
  norm: string;
  /** One number a word; a tensor's whole name. */
  bias: string;
}

/** As the checkpoints have them. Most store the word table once more as the head's matrix, which is passed over. */
const names: Record<EncoderConfig['modelType'], HeadNames> = {
  bert: {
    dense: 'cls.predictions.transform.dense',
    norm: 'cls.predictions.transform.LayerNorm',
    bias: 'cls.predictions.bias',
  },
  roberta: { dense: 'lm_head.dense', norm: 'lm_head.layer_norm', bias: 'lm_head.bias' },
  albert: { dense: 'predictions.dense', norm: 'predictions.LayerNorm', bias: 'predictions.bias' },
  distilbert: { dense: 'vocab_transform', norm: 'vocab_layer_norm', bias: 'vocab_projector.bias' },
};

/** Names and shapes of what the head has beside the encoder's word table. */
export function maskedHeadShapes({
  modelType,
  vocabSize,
  hiddenSize,
  albert,
}: EncoderConfig): Record<string, number[]> {
  const width = albert?.embeddingSize ?? hiddenSize;
  const { dense, norm, bias } = names[modelType];
  return {
    [`${dense}.weight`]: [width, hiddenSize],
    [`${dense}.bias`]: [width],
    [`${norm}.weight`]: [width],
    [`${norm}.bias`]: [width],
    [bias]: [vocabSize],
  };
}

/** E · norm(activation(W h + b)) + c with the word table E: hidden [batch, tokens, hidden] → [batch, tokens, vocabulary]. */
export function maskedHeadLogits(g: GraphBuilder, hidden: Value, parameters: Parameters, config: EncoderConfig): Value {
  const { dense, norm, bias } = names[config.modelType];
  const activation = config.modelType === 'roberta' ? 'gelu' : config.activation; // RoBERTa's head is GELU always
  const inner = activate(g, activation, linear(g, hidden, parameters, dense));
  const normed = g.layerNormalization(inner, parameters[`${norm}.weight`], parameters[`${norm}.bias`], {
    epsilon: config.layerNormEps,
  });
  const words = parameters['embeddings.word_embeddings.weight'];
  return g.add(g.fusedMatMul(normed, words, { transB: true }), parameters[bias]);
}
