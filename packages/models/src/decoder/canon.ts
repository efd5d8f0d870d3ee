// Canon layers: a short causal convolution added to what a part of a block reads, each channel by itself, so that every token carries
// those just before it. Source: Allen-Zhu 2025, arXiv:2512.17351; names and layout of the LlamaCanon published with it.
import type { Value } from '@bowyer/graph';
import type { ForwardScope } from '../architecture/architecture.js';
import type { Layer, Part } from './parts.js';
import { convolveSequences, overSequences } from './sequences.js';

/** A layer that keeps something of earlier tokens. */
export interface StatefulLayer extends Layer, Required<Pick<Part, 'states'>> {}

/** Returns the deviation of torch.nn.Conv1d's first weights, which are uniform within 1 / √tokens. */
const standardDeviation = (tokens: number) => 1 / Math.sqrt(3 * tokens);

/**
 * Builds the layer x + convolution(x).
 *
 * @param path of the module, e.g. `model.layers.0.canonA`
 * @param tokens that the convolution sees, the present one included
 */
export function canonLayer(path: string, width: number, tokens: number): StatefulLayer {
  const weight = `${path}.weight`;
  return {
    parameters: [
      {
        name: weight,
        shape: [width, 1, tokens],
        init: { kind: 'normal', standardDeviation: standardDeviation(tokens) },
      },
    ],
    states: [{ name: path, shape: [tokens - 1, width] }],
    apply: (scope: ForwardScope, x: Value) =>
      overSequences(scope, [x], (sequences, [rows]) => {
        const convolved = convolveSequences(sequences, rows, path, { weight: scope.parameter(weight) });
        return scope.g.add(rows, scope.g.reshape(convolved, rows.shape));
      }),
  };
}

/** Returns the part with the layer before it, whose result the part reads. */
export function preceded(layer: StatefulLayer, part: Part): Part {
  return {
    ...part,
    parameters: [...layer.parameters, ...part.parameters],
    states: [...layer.states, ...(part.states ?? [])],
    attends: part.attends ?? part.states === undefined,
    apply: (scope, x, place) => part.apply(scope, layer.apply(scope, x), place),
  };
}
