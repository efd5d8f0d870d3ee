// Builds ModernBERT: norms before attention and feed-forward layer, rotary embedding, local layers whose tokens attend to a window, gated
// feed-forward layers, no biases. Source: Warner et al. 2024 (arXiv:2412.13663), section 2.1.
import { multiplyDims, type GraphBuilder, type Value } from '@bowyer/graph';
import { activate } from '../layers/activations.js';
import type { Parameters } from '../layers/linear.js';
import { rotaryTables, rotateHeads, type RotaryTables } from '../layers/rotary-embedding.js';
import { weightedValues } from '../layers/weighted-values.js';
import type { EncoderConfig } from './encoder-config.js';
import type { TokenLayout } from './token-layout.js';

/** The rotary tables and the attention bias of one kind of layer (global or local), for each class of texts. */
type Kind = readonly {
  tables: RotaryTables;
  /** The numbers that are added to the attention scores: 0, or very negative for padding and for tokens outside the window. */
  bias: Value;
}[];

/** @param paddings for each class [texts, 1, 1, tokens] 0 for tokens, very negative for padding */
export function modernBertHiddenStates(
  g: GraphBuilder,
  parameters: Parameters,
  config: EncoderConfig,
  layout: TokenLayout,
  paddings: readonly Value[],
): Value {
  const { globalTheta, localTheta, localLayers, reach } = config.modernbert!;
  const kindOf = (theta: number, bias: (places: Value, padding: Value) => Value): Kind =>
    layout.classes.map(({ tokens }, c) => {
      const places = g.range(tokens);
      return { tables: rotary(g, config, places, theta), bias: bias(places, paddings[c]) };
    });
  const global = kindOf(globalTheta, (_, padding) => padding);
  const local = kindOf(localTheta, (places, padding) => g.add(padding, windowBias(g, places, reach)));
  const words = g.gather(parameters['embeddings.tok_embeddings.weight'], layout.ids);
  let x = norm(g, words, parameters, 'embeddings.norm', config);
  localLayers.forEach((isLocal, layer) => {
    const kind = isLocal ? local : global;
    x = g.scope(`layers.${layer}`, () => modernBertLayer(g, x, parameters, config, layer, { layout, kind }));
  });
  return norm(g, x, parameters, 'final_norm', config);
}

function rotary(g: GraphBuilder, { hiddenSize, numHeads, maxPositions }: EncoderConfig, places: Value, theta: number) {
  const headSize = hiddenSize / numHeads;
  const frequencies = Float32Array.from({ length: headSize / 2 }, (_, i) => {
    return 1 / Math.fround(Math.pow(theta, Math.fround((2 * i) / headSize)));
  });
  return rotaryTables(g, places, { frequencies, magnitude: 1, contextLength: maxPositions });
}

/** Makes a mask [tokens, tokens]: 0 where two tokens are at most `reach` apart, very negative elsewhere. */
function windowBias(g: GraphBuilder, places: Value, reach: number): Value {
  const [from, to] = [g.unsqueeze(places, 1), g.unsqueeze(places, 0)];
  const isNear = g.and(g.lessOrEqual(to, g.add(from, reach)), g.lessOrEqual(from, g.add(to, reach)));
  return g.where(isNear, g.scalar(0), -1e9);
}

function modernBertLayer(
  g: GraphBuilder,
  x: Value,
  parameters: Parameters,
  config: EncoderConfig,
  layer: number,
  scope: { layout: TokenLayout; kind: Kind },
): Value {
  const name = `layers.${layer}`;
  // The first layer has no norm here, since the embeddings are already normalised.
  const read = layer === 0 ? x : norm(g, x, parameters, `${name}.attn_norm`, config);
  const attended = g.add(x, attention(g, read, parameters, `${name}.attn`, config, scope));
  const h = norm(g, attended, parameters, `${name}.mlp_norm`, config);
  const [inner, gate] = g.split(map(g, h, parameters, `${name}.mlp.Wi`), -1, 2);
  const activated = g.mul(activate(g, config.activation, inner), gate);
  return g.add(attended, map(g, activated, parameters, `${name}.mlp.Wo`));
}

function attention(
  g: GraphBuilder,
  x: Value,
  parameters: Parameters,
  name: string,
  { numHeads, hiddenSize }: EncoderConfig,
  { layout, kind }: { layout: TokenLayout; kind: Kind },
): Value {
  const headSize = hiddenSize / numHeads;
  const parts = g.split(map(g, x, parameters, `${name}.Wqkv`), -1, 3).map((part) => layout.all.split(part));
  const mixed = kind.map(({ tables, bias }, c) => {
    const [q, k, v] = parts.map((part) => part[c]);
    const [texts, tokens] = q.shape;
    const rows = multiplyDims(texts, tokens);
    const turned = (part: Value) => rotateHeads(g, g.reshape(part, [rows, numHeads, headSize]), tables);
    const heads = (part: Value) => g.transpose(g.reshape(part, [texts, tokens, numHeads, headSize]), [0, 2, 1, 3]);
    const scores = g.fusedMatMul(heads(turned(q)), heads(turned(k)), { transB: true, alpha: 1 / Math.sqrt(headSize) });
    const each = weightedValues(g, g.add(scores, bias), heads(v));
    return g.reshape(g.transpose(each, [0, 2, 1, 3]), [texts, tokens, hiddenSize]);
  });
  return map(g, layout.all.join(mixed), parameters, `${name}.Wo`);
}

/** Computes x Wᵀ, plus b if the checkpoint has a bias. */
function map(g: GraphBuilder, x: Value, parameters: Parameters, name: string): Value {
  const product = g.fusedMatMul(x, parameters[`${name}.weight`], { transB: true });
  const bias = parameters[`${name}.bias`];
  return bias ? g.add(product, bias) : product;
}

const norm = (
  g: GraphBuilder,
  x: Value,
  parameters: Parameters,
  name: string,
  { layerNormEps }: EncoderConfig,
): Value =>
  g.layerNormalization(x, parameters[`${name}.weight`], parameters[`${name}.bias`], { epsilon: layerNormEps });

/** Returns the names and shapes of all tensors except those of heads. */
export function modernBertShapes(config: EncoderConfig): Record<string, number[]> {
  const { hiddenSize, intermediateSize, numLayers, vocabSize } = config;
  const { attentionBias, mlpBias, normBias } = config.modernbert!;
  const shapes: Record<string, number[]> = { 'embeddings.tok_embeddings.weight': [vocabSize, hiddenSize] };
  const tensor = (name: string, shape: number[], hasBias: boolean) => {
    shapes[`${name}.weight`] = shape;
    if (hasBias) shapes[`${name}.bias`] = [shape[0]];
  };
  tensor('embeddings.norm', [hiddenSize], normBias);
  for (let layer = 0; layer < numLayers; layer++) {
    const name = `layers.${layer}`;
    if (layer > 0) tensor(`${name}.attn_norm`, [hiddenSize], normBias);
    tensor(`${name}.attn.Wqkv`, [3 * hiddenSize, hiddenSize], attentionBias);
    tensor(`${name}.attn.Wo`, [hiddenSize, hiddenSize], attentionBias);
    tensor(`${name}.mlp_norm`, [hiddenSize], normBias);
    tensor(`${name}.mlp.Wi`, [2 * intermediateSize, hiddenSize], mlpBias);
    tensor(`${name}.mlp.Wo`, [hiddenSize, intermediateSize], mlpBias);
  }
  tensor('final_norm', [hiddenSize], normBias);
  return shapes;
}
