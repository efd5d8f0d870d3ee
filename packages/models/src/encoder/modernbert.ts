// ModernBERT: norms before each half of a layer, rotary positions, layers whose tokens see only their neighbourhood, gated
// feed-forward layers, no biases. Source: Warner et al. 2024 (arXiv:2412.13663), section 2.1.
import { multiplyDims, type Dim, type GraphBuilder, type Value } from '@bowyer/graph';
import { activate } from '../layers/activations.js';
import type { Parameters } from '../layers/linear.js';
import { rotaryTables, rotateHeads, type RotaryTables } from '../layers/rotary-embedding.js';
import { weightedValues } from '../layers/weighted-values.js';
import type { EncoderConfig } from './encoder-config.js';

interface Kind {
  tables: RotaryTables;
  /** Added to the scores. */
  bias: Value;
}

/** @param padding [batch, 1, 1, tokens] 0 for tokens, very negative for padding */
export function modernBertHiddenStates(
  g: GraphBuilder,
  parameters: Parameters,
  config: EncoderConfig,
  ids: Value,
  padding: Value,
): Value {
  const { globalTheta, localTheta, localLayers, reach } = config.modernbert!;
  const places = g.range(ids.dim(1));
  const global = { tables: rotary(g, config, places, globalTheta), bias: padding };
  const local = { tables: rotary(g, config, places, localTheta), bias: g.add(padding, windowBias(g, places, reach)) };
  let x = norm(g, g.gather(parameters['embeddings.tok_embeddings.weight'], ids), parameters, 'embeddings.norm', config);
  localLayers.forEach((isLocal, layer) => {
    x = g.scope(`layers.${layer}`, () => modernBertLayer(g, x, parameters, config, layer, isLocal ? local : global));
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

/** 0 where two tokens are at most `reach` apart, very negative elsewhere: [tokens, tokens]. */
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
  kind: Kind,
): Value {
  const name = `layers.${layer}`;
  // The first layer reads the embeddings, which are normalised already.
  const read = layer === 0 ? x : norm(g, x, parameters, `${name}.attn_norm`, config);
  const attended = g.add(x, attention(g, read, parameters, `${name}.attn`, config, kind));
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
  { tables, bias }: Kind,
): Value {
  const [batch, tokens] = x.shape;
  const headSize = hiddenSize / numHeads;
  const rows: Dim = multiplyDims(batch, tokens);
  const [q, k, v] = g.split(map(g, x, parameters, `${name}.Wqkv`), -1, 3);
  const turned = (part: Value) => rotateHeads(g, g.reshape(part, [rows, numHeads, headSize]), tables);
  const heads = (part: Value) => g.transpose(g.reshape(part, [batch, tokens, numHeads, headSize]), [0, 2, 1, 3]);
  const scores = g.fusedMatMul(heads(turned(q)), heads(turned(k)), { transB: true, alpha: 1 / Math.sqrt(headSize) });
  const mixed = weightedValues(g, g.add(scores, bias), heads(v));
  return map(g, g.reshape(g.transpose(mixed, [0, 2, 1, 3]), [batch, tokens, hiddenSize]), parameters, `${name}.Wo`);
}

/** x Wᵀ, and + b where the checkpoint has one. */
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

/** Names and shapes of all tensors but heads. */
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
