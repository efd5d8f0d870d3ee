// Builds per-layer embeddings: each layer has a narrow embedding table for token ids and a projection of the token embedding,
// whose sum passes a gate at the end of the layer and is added to the residual stream.
// Source: Hugging Face's Gemma4TextModel (per-layer embeddings); introduced with Gemma 3n.
import { activate, type ActivationName } from '../layers/activations.js';
import type { LayerInputs } from './decoder.js';
import { linear, norm, type Layer, type Part } from './parts.js';

interface LayerEmbeddings {
  width: number;
  layers: number;
  vocabulary: number;
  /** The width of one layer's embedding. */
  size: number;
  standardDeviation: number;
  epsilon: number;
}

/** Builds (norm(W e / √width) + √size · table[id]) / √2 for all layers at once, where e is the scaled token embedding. */
export function layerEmbeddings({
  width,
  layers,
  vocabulary,
  size,
  standardDeviation,
  epsilon,
}: LayerEmbeddings): LayerInputs {
  const table = 'model.embed_tokens_per_layer.weight';
  const init = { kind: 'normal', standardDeviation } as const;
  const options = { bias: false, standardDeviation };
  const projection = linear('model.per_layer_model_projection', layers * size, width, options);
  const projectionNorm = norm('model.per_layer_projection_norm', size, { kind: 'rms', epsilon });
  return {
    parameters: [
      { name: table, shape: [vocabulary, layers * size], init },
      ...projection.parameters,
      ...projectionNorm.parameters,
    ],
    of(scope, ids, embedded) {
      const { g } = scope;
      const shape = [ids.dim(0), layers, size];
      const ofContext = g.reshape(g.mul(projection.apply(scope, embedded), width ** -0.5), shape);
      const ofToken = g.reshape(g.mul(g.gather(scope.parameter(table), ids, 0), Math.sqrt(size)), shape);
      const both = g.mul(g.add(projectionNorm.apply(scope, ofContext), ofToken), Math.SQRT1_2);
      scope.readByLaterBlocks(both);
      return (layer) => g.reshape(g.slice(both, 1, layer, layer + 1), [ids.dim(0), size]);
    },
  };
}

/** Builds x + norm(projection(activation(gate(x)) · layerInput)), where layerInput is the token's embedding for the layer. */
export function layerEmbeddingGate(
  activation: ActivationName,
  gate: Layer,
  projection: Layer,
  outputNorm: Layer,
): Part {
  return {
    parameters: [gate, projection, outputNorm].flatMap(({ parameters }) => parameters),
    apply(scope, x, place) {
      const { g } = scope;
      const gated = g.mul(activate(g, activation, gate.apply(scope, x)), place.layerInput!());
      return g.add(x, outputNorm.apply(scope, projection.apply(scope, gated)));
    },
  };
}
