// BERT and its variants as a graph: embeddings, layers of self-attention and feed-forward with the norm after each, pooling.
// DeBERTa's attention and ModernBERT's layers are in their own files.
// Sources: Devlin et al. 2019 (arXiv:1810.04805), Liu et al. 2019 (arXiv:1907.11692), Lan et al. 2019
// (ALBERT, arXiv:1909.11942). Dropout is off, as in ArCHer's code.
import type { GraphBuilder, Value } from '@bowyer/graph';
import { activate } from '../layers/activations.js';
import { linear, type Parameters } from '../layers/linear.js';
import { weightedValues } from '../layers/weighted-values.js';
import { disentangledAttention, distances, scoreScale, type Distances } from './deberta.js';
import type { EncoderConfig } from './encoder-config.js';
import { embeddingMap, encoderNames, layerNames, poolerName } from './encoder-names.js';
import { modernBertHiddenStates } from './modernbert.js';

/** Right-padded texts. */
export interface EncoderInputs {
  /** int32 [batch, tokens] */
  ids: Value;
  /** int32 [batch, tokens] rows of the position table */
  positions: Value;
  /** float32 [batch, tokens] 1 for a token, 0 for padding */
  mask: Value;
}

/** The vector that sums up a text: tanh of a learnt map of the first token, the first token itself, or the tokens' mean. */
export type TextFeature = 'pooler' | 'first' | 'mean';

/** Hidden states of the last layer, [batch, tokens, hidden]; those of padding mean nothing. */
export function encoderHiddenStates(
  g: GraphBuilder,
  parameters: Parameters,
  config: EncoderConfig,
  { ids, positions, mask }: EncoderInputs,
): Value {
  // Added to the scores: 0 for tokens, −10⁹ for padding, which softmax turns into exactly 0.
  const attentionBias = g.unsqueeze(g.unsqueeze(g.mul(g.sub(mask, 1), 1e9), 1), 1);
  if (config.modernbert) return modernBertHiddenStates(g, parameters, config, ids, attentionBias);
  const words = g.gather(parameters['embeddings.word_embeddings.weight'], ids);
  const places = parameters['embeddings.position_embeddings.weight'];
  let x = places ? g.add(words, g.gather(places, positions)) : words;
  const types = parameters['embeddings.token_type_embeddings.weight'];
  if (config.typeVocabSize > 0) x = g.add(x, g.slice(types, 0, 0, 1)); // every token is of the first text
  x = layerNorm(g, x, parameters, 'embeddings.LayerNorm', config);
  const map = embeddingMap(config);
  if (map) x = linear(g, x, parameters, map.name);
  const attention: AttentionTerms = {
    bias: attentionBias,
    ...(config.deberta?.relative && { distances: distances(g, parameters, config, x.dim(1)) }),
  };
  layerNames(config).forEach((name, i) => {
    // Named by depth, as ALBERT's layers come up more than once.
    x = g.scope(`encoder.layer.${i}`, () => encoderLayer(g, x, attention, parameters, name, config));
  });
  return x;
}

/** [batch, tokens, hidden] → [batch, hidden]. */
export function textFeature(
  g: GraphBuilder,
  hidden: Value,
  mask: Value,
  parameters: Parameters,
  config: EncoderConfig,
  feature: TextFeature,
): Value {
  if (feature === 'mean') {
    const weights = g.unsqueeze(mask, -1);
    const count = g.max(g.reduceSum(mask, { axes: [1], keepdims: true }), 1); // 1 for rows of padding
    return g.div(g.reduceSum(g.mul(hidden, weights), { axes: [1] }), count);
  }
  const first = g.squeeze(g.slice(hidden, 1, 0, 1), 1);
  if (feature === 'first') return first;
  const pooled = linear(g, first, parameters, poolerName(config));
  return activate(g, config.deberta?.poolerActivation ?? 'tanh', pooled);
}

interface AttentionTerms {
  /** [batch, 1, 1, tokens] added to the scores. */
  bias: Value;
  /** DeBERTa's distances between tokens. */
  distances?: Distances;
}

function encoderLayer(
  g: GraphBuilder,
  x: Value,
  attention: AttentionTerms,
  parameters: Parameters,
  name: string,
  config: EncoderConfig,
): Value {
  const names = encoderNames(config);
  const mixed = selfAttention(g, x, attention, parameters, name, config);
  const attended = linear(g, mixed, parameters, `${name}.${names.attentionOutput}`);
  const y = layerNorm(g, g.add(attended, x), parameters, `${name}.${names.attentionNorm}`, config);
  const inner = activate(g, config.activation, linear(g, y, parameters, `${name}.${names.inner}`));
  return layerNorm(
    g,
    g.add(linear(g, inner, parameters, `${name}.${names.outer}`), y),
    parameters,
    `${name}.${names.outputNorm}`,
    config,
  );
}

/** softmax(Q Kᵀ / √d + bias) V per head, heads side by side: [batch, tokens, hidden]. DeBERTa adds its own terms to Q Kᵀ. */
function selfAttention(
  g: GraphBuilder,
  x: Value,
  { bias, distances }: AttentionTerms,
  parameters: Parameters,
  name: string,
  config: EncoderConfig,
): Value {
  const { numHeads, hiddenSize } = config;
  const names = encoderNames(config);
  const [batch, tokens] = x.shape;
  const headSize = hiddenSize / numHeads;
  const heads = (part: 'query' | 'key' | 'value') => {
    const split = g.reshape(linear(g, x, parameters, `${name}.${names[part]}`), [batch, tokens, numHeads, headSize]);
    return g.transpose(split, [0, 2, 1, 3]);
  };
  const [query, key] = [heads('query'), heads('key')];
  const scores = distances
    ? disentangledAttention(g, [query, key], parameters, `${name}.attention.self`, config, distances)
    : g.fusedMatMul(query, key, { transB: true, alpha: scoreScale(config) });
  const mixed = weightedValues(g, g.add(scores, bias), heads('value'));
  return g.reshape(g.transpose(mixed, [0, 2, 1, 3]), [batch, tokens, hiddenSize]);
}

const layerNorm = (
  g: GraphBuilder,
  x: Value,
  parameters: Parameters,
  name: string,
  { layerNormEps }: EncoderConfig,
): Value =>
  g.layerNormalization(x, parameters[`${name}.weight`], parameters[`${name}.bias`], { epsilon: layerNormEps });
