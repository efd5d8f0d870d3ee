// Builds BERT and its variants as a graph: embeddings, layers of self-attention and feed-forward, each followed by a norm, and pooling.
// DeBERTa's attention and ModernBERT's layers are in their own files.
// Sources: Devlin et al. 2019 (arXiv:1810.04805), Liu et al. 2019 (arXiv:1907.11692), Lan et al. 2019 (ALBERT, arXiv:1909.11942).
// Dropout is off, as in ArCHer's code.
import type { GraphBuilder, Value } from '@bowyer/graph';
import { activate } from '../layers/activations.js';
import { linear, type Parameters } from '../layers/linear.js';
import { weightedValues } from '../layers/weighted-values.js';
import { disentangledAttention, distances, scoreScale, type Distances } from './deberta.js';
import type { EncoderConfig } from './encoder-config.js';
import { embeddingMap, encoderNames, layerNames, poolerName } from './encoder-names.js';
import { modernBertHiddenStates } from './modernbert.js';
import {
  matrixLayout,
  type FirstRows,
  type MatrixInputs,
  type PackedLayout,
  type Rows,
  type TokenLayout,
} from './token-layout.js';

/**
 * Names the vector that represents a text: `pooler`, tanh of a learned map of the first token's state; `first`, the first token's state;
 * `mean`, the mean over all tokens.
 */
export type TextFeature = 'pooler' | 'first' | 'mean';

/** Computes the hidden states of the last layer, [batch, tokens, hidden]; those of padding are arbitrary. */
export const encoderHiddenStates = (
  g: GraphBuilder,
  parameters: Parameters,
  config: EncoderConfig,
  inputs: MatrixInputs,
): Value => hiddenStates(g, parameters, config, matrixLayout(inputs));

/** Computes one vector per text, [texts, hidden], in the order of the packed texts. */
export function textFeatures(
  g: GraphBuilder,
  parameters: Parameters,
  config: EncoderConfig,
  layout: PackedLayout,
  feature: TextFeature,
): Value {
  if (feature === 'mean') {
    const parts = layout.all.split(hiddenStates(g, parameters, config, layout));
    return g.concat(
      parts.map((part, c) => maskedMean(g, part, layout.classes[c].mask)),
      0,
    );
  }
  // The scores of DeBERTa and ModernBERT depend on distances between tokens, so their last layer is computed for all tokens.
  const needsAll = Boolean(config.modernbert ?? config.deberta?.relative);
  const first = needsAll
    ? layout.first.of(hiddenStates(g, parameters, config, layout))
    : hiddenStates(g, parameters, config, layout, layout.first);
  return summed(g, first, parameters, config, feature);
}

/** Pools hidden states: [batch, tokens, hidden] → [batch, hidden]. */
export function textFeature(
  g: GraphBuilder,
  hidden: Value,
  mask: Value,
  parameters: Parameters,
  config: EncoderConfig,
  feature: TextFeature,
): Value {
  if (feature === 'mean') return maskedMean(g, hidden, mask);
  return summed(g, g.squeeze(g.slice(hidden, 1, 0, 1), 1), parameters, config, feature);
}

/** Averages over tokens without padding: [texts, tokens, hidden] → [texts, hidden]. */
function maskedMean(g: GraphBuilder, hidden: Value, mask: Value): Value {
  const count = g.max(g.reduceSum(mask, { axes: [1], keepdims: true }), 1); // avoids 0 / 0 for rows of padding
  return g.div(g.reduceSum(g.mul(hidden, g.unsqueeze(mask, -1)), { axes: [1] }), count);
}

/** Computes the vector of a text from its first token. @param first [texts, hidden] the hidden states of the first tokens */
function summed(
  g: GraphBuilder,
  first: Value,
  parameters: Parameters,
  config: EncoderConfig,
  feature: 'pooler' | 'first',
): Value {
  if (feature === 'first') return first;
  const pooled = linear(g, first, parameters, poolerName(config));
  return activate(g, config.deberta?.poolerActivation ?? 'tanh', pooled);
}

/** Computes the last layer's hidden states. @param first if given, that layer computes only first tokens, attending to all */
function hiddenStates(
  g: GraphBuilder,
  parameters: Parameters,
  config: EncoderConfig,
  layout: TokenLayout,
  first?: FirstRows,
): Value {
  // The biases are added to the attention scores: 0 for tokens, −10⁹ for padding, whose weight after the softmax is exactly 0.
  const biases = layout.classes.map(({ mask }) => g.unsqueeze(g.unsqueeze(g.mul(g.sub(mask, 1), 1e9), 1), 1));
  if (config.modernbert) return modernBertHiddenStates(g, parameters, config, layout, biases);
  const words = g.gather(parameters['embeddings.word_embeddings.weight'], layout.ids);
  const places = parameters['embeddings.position_embeddings.weight'];
  let x = places ? g.add(words, g.gather(places, layout.positions)) : words;
  const types = parameters['embeddings.token_type_embeddings.weight'];
  if (config.typeVocabSize > 0) x = g.add(x, g.slice(types, 0, 0, 1)); // all tokens have type 0
  x = layerNorm(g, x, parameters, 'embeddings.LayerNorm', config);
  const map = embeddingMap(config);
  if (map) x = linear(g, x, parameters, map.name);
  const terms = layout.classes.map(({ tokens }, c): AttentionTerms => ({
    bias: biases[c],
    ...(config.deberta?.relative && { distances: distances(g, parameters, config, tokens) }),
  }));
  const names = layerNames(config);
  names.forEach((name, i) => {
    const scope = { layout, terms, ...(i === names.length - 1 && { first }) };
    // The scope has the index of the application, not the layer's name, since ALBERT applies the same layer several times.
    x = g.scope(`encoder.layer.${i}`, () => encoderLayer(g, x, scope, parameters, name, config));
  });
  return x;
}

interface AttentionTerms {
  /** [batch, 1, 1, tokens] numbers that are added to the attention scores, very negative for padding. */
  bias: Value;
  /** DeBERTa's relative positions. */
  distances?: Distances;
}

/** The tokens that an encoder layer reads, and those whose results it computes. */
interface LayerScope {
  layout: TokenLayout;
  /** The terms that are added to the attention scores, for each class of texts of similar length. */
  terms: readonly AttentionTerms[];
  /** Given in the last layer if it computes only the first token of each text. */
  first?: FirstRows;
}

function encoderLayer(
  g: GraphBuilder,
  x: Value,
  scope: LayerScope,
  parameters: Parameters,
  name: string,
  config: EncoderConfig,
): Value {
  const names = encoderNames(config);
  const own = scope.first?.of(x) ?? x;
  const mixed = selfAttention(g, [own, x], scope, parameters, name, config);
  const attended = linear(g, mixed, parameters, `${name}.${names.attentionOutput}`);
  const y = layerNorm(g, g.add(attended, own), parameters, `${name}.${names.attentionNorm}`, config);
  const inner = activate(g, config.activation, linear(g, y, parameters, `${name}.${names.inner}`));
  return layerNorm(
    g,
    g.add(linear(g, inner, parameters, `${name}.${names.outer}`), y),
    parameters,
    `${name}.${names.outputNorm}`,
    config,
  );
}

/**
 * Computes softmax(Q Kᵀ / √d + bias) V for each head, heads side by side: [...rows, hidden]. DeBERTa adds its own terms to Q Kᵀ.
 *
 * @param own the hidden states of the tokens for which attention is computed (all, or the first token of each text)
 * @param x the hidden states of all tokens, which have the keys and values
 */
function selfAttention(
  g: GraphBuilder,
  [own, x]: readonly [Value, Value],
  { layout: { all }, terms, first }: LayerScope,
  parameters: Parameters,
  name: string,
  config: EncoderConfig,
): Value {
  const { numHeads, hiddenSize } = config;
  const names = encoderNames(config);
  const headSize = hiddenSize / numHeads;
  const written: Rows = first ?? all;
  const heads = (part: 'query' | 'key' | 'value') => {
    const [from, { split }] = part === 'query' ? [own, written] : [x, all];
    return split(linear(g, from, parameters, `${name}.${names[part]}`)).map((matrix) =>
      g.transpose(g.reshape(matrix, [matrix.dim(0), matrix.dim(1), numHeads, headSize]), [0, 2, 1, 3]),
    );
  };
  const [queries, keys, values] = [heads('query'), heads('key'), heads('value')];
  const mixed = terms.map(({ bias, distances }, c) => {
    const [query, key] = [queries[c], keys[c]];
    const scores = distances
      ? disentangledAttention(g, [query, key], parameters, `${name}.attention.self`, config, distances)
      : g.fusedMatMul(query, key, { transB: true, alpha: scoreScale(config) });
    const each = g.transpose(weightedValues(g, g.add(scores, bias), values[c]), [0, 2, 1, 3]);
    return g.reshape(each, [each.dim(0), each.dim(1), hiddenSize]);
  });
  return written.join(mixed);
}

const layerNorm = (
  g: GraphBuilder,
  x: Value,
  parameters: Parameters,
  name: string,
  { layerNormEps }: EncoderConfig,
): Value =>
  g.layerNormalization(x, parameters[`${name}.weight`], parameters[`${name}.bias`], { epsilon: layerNormEps });
