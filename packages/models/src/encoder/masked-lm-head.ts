// The masked-LM head of each encoder: hidden states → a logit for every word of the vocabulary.
import type { GraphBuilder, Value } from '@bowyer/graph';
import { PretrainedDirectoryError, type HostTensors } from '@bowyer/checkpoints';
import { activate, type ActivationName } from '../layers/activations.js';
import type { Parameters } from '../layers/linear.js';
import type { EncoderConfig } from './encoder-config.js';
import { embeddingMap, wordTable } from './encoder-names.js';

interface HeadNames {
  /** Hidden → width of the word table; `.weight` and `.bias` follow. */
  dense: string;
  norm: string;
  /** The matrix of the head, where it is not the word table; a tensor's whole name. */
  decoder: string;
  /** One number a word; whole names. Where both are in a file, the first is the one that is added. */
  biases: string[];
}

/** The names that the checkpoints have. */
function namesOf({ modelType, deberta }: EncoderConfig): HeadNames {
  const predictions = (before: string, dense: string, norm: string, decoder = `${before}.decoder`) => ({
    dense: `${before}.${dense}`,
    norm: `${before}.${norm}`,
    decoder: `${decoder}.weight`,
    biases: [`${decoder}.bias`, `${before}.bias`],
  });
  switch (modelType) {
    case 'bert':
      return predictions('cls.predictions', 'transform.dense', 'transform.LayerNorm');
    case 'deberta-v2':
      if (deberta!.legacyHead) return predictions('cls.predictions', 'transform.dense', 'transform.LayerNorm');
      // The newer head has no matrix of its own.
      return {
        ...predictions('lm_predictions.lm_head', 'dense', 'LayerNorm'),
        biases: ['lm_predictions.lm_head.bias'],
      };
    case 'roberta':
    case 'xlm-roberta':
    case 'camembert':
      return predictions('lm_head', 'dense', 'layer_norm');
    case 'albert':
      return predictions('predictions', 'dense', 'LayerNorm');
    case 'distilbert':
      return {
        dense: 'vocab_transform',
        norm: 'vocab_layer_norm',
        decoder: 'vocab_projector.weight',
        biases: ['vocab_projector.bias'],
      };
    case 'electra':
      return {
        dense: 'generator_predictions.dense',
        norm: 'generator_predictions.LayerNorm',
        decoder: 'generator_lm_head.weight',
        biases: ['generator_lm_head.bias'],
      };
    case 'modernbert':
      return { dense: 'head.dense', norm: 'head.norm', decoder: 'decoder.weight', biases: ['decoder.bias'] };
  }
}

/** Width of the word table. */
const widthOf = (config: EncoderConfig) => embeddingMap(config)?.size ?? config.hiddenSize;

/** Names and shapes of what every checkpoint of the head has beside the encoder. */
export function maskedHeadShapes(config: EncoderConfig): Record<string, number[]> {
  const { hiddenSize, modernbert } = config;
  const { dense, norm } = namesOf(config);
  const width = widthOf(config);
  return {
    [`${dense}.weight`]: [width, hiddenSize],
    ...((modernbert?.headBias ?? true) && { [`${dense}.bias`]: [width] }),
    [`${norm}.weight`]: [width],
    ...((modernbert?.normBias ?? true) && { [`${norm}.bias`]: [width] }),
  };
}

/**
 * Names and shapes of the output matrix and of its bias under each of its names: a file may have all of them or, where they
 * are tied, some.
 */
export function outputShapes(config: EncoderConfig): Record<string, number[]> {
  const { decoder, biases } = namesOf(config);
  const hasBias = config.modernbert?.decoderBias ?? true;
  return {
    ...(hasOwnMatrix(config) && { [decoder]: [config.vocabSize, widthOf(config)] }),
    ...(hasBias && Object.fromEntries(biases.map((bias) => [bias, [config.vocabSize]]))),
  };
}

const hasOwnMatrix = ({ deberta }: EncoderConfig) => deberta?.legacyHead ?? true;

/**
 * The tensors of a file that the head reads. Tied, the output matrix is the word table and a bias with two names is one; but a
 * file that has different values under the two names is meant as it is, whatever config.json says: the values of the
 * matrix's own names are read.
 *
 * @param stored the file's tensors of `outputShapes`
 * @param encoder the encoder's tensors
 * @param tied `tie_word_embeddings`
 * @param dir for the message
 */
export function outputTensors(
  stored: HostTensors,
  encoder: HostTensors,
  config: EncoderConfig,
  tied: boolean,
  dir: string,
): HostTensors {
  const { decoder, biases } = namesOf(config);
  const shapes = outputShapes(config);
  const missing = (name: string) => {
    const because = tied ? '' : ', and tie_word_embeddings is false';
    const problem = `its weights have no tensor '${name}' of shape [${shapes[name].join(', ')}]${because}`;
    return new PretrainedDirectoryError(dir, problem);
  };
  const result: HostTensors = {};
  if (decoder in shapes) {
    const matrix = stored[decoder];
    if (!matrix && !tied) throw missing(decoder);
    if (matrix && !(tied && isEqual(matrix.data, encoder[wordTable(config)].data))) result[decoder] = matrix;
  }
  if (!(biases[0] in shapes)) return result;
  // Untied, the bias under the other name is not added to anything.
  const bias = (tied ? biases : biases.slice(0, 1)).find((name) => name in stored);
  if (bias === undefined) throw missing(biases[tied ? biases.length - 1 : 0]);
  return { ...result, [biases[0]]: stored[bias] };
}

const isEqual = (a: ArrayLike<unknown>, b: ArrayLike<unknown>) => {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return a.length === b.length;
};

/** D · norm(activation(W h + b)) + c with the head's matrix or the word table D: hidden [batch, tokens, hidden] → [batch, tokens, vocabulary]. */
export function maskedHeadLogits(g: GraphBuilder, hidden: Value, parameters: Parameters, config: EncoderConfig): Value {
  const { dense, norm, decoder, biases } = namesOf(config);
  const product = g.fusedMatMul(hidden, parameters[`${dense}.weight`], { transB: true });
  const mapped = parameters[`${dense}.bias`] ? g.add(product, parameters[`${dense}.bias`]) : product;
  const inner = activate(g, headActivation(config), mapped);
  const normed = g.layerNormalization(inner, parameters[`${norm}.weight`], parameters[`${norm}.bias`], {
    epsilon: config.layerNormEps,
  });
  const matrix = parameters[decoder] ?? parameters[wordTable(config)];
  const logits = g.fusedMatMul(normed, matrix, { transB: true });
  const bias = parameters[biases[0]];
  return bias ? g.add(logits, bias) : logits;
}

/** The heads of RoBERTa and ELECTRA are GELU always. */
function headActivation({ modelType, modernbert, activation }: EncoderConfig): ActivationName {
  if (modernbert) return modernbert.headActivation;
  return ['roberta', 'xlm-roberta', 'camembert', 'electra'].includes(modelType) ? 'gelu' : activation;
}
