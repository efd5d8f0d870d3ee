// Builds Canon layers. A Canon layer adds a short causal convolution over the tokens, computed for each channel by itself, to the
// input of attention or of the feed-forward layer, so that every token carries information of the tokens just before it.
// Source: Allen-Zhu 2025, arXiv:2512.17351; names and layout of the LlamaCanon published with it.
import type { Value } from '@bowyer/graph';
import type { ForwardScope } from '../architecture/architecture.js';
import type { Layer, Part } from './parts.js';
import { convolveSequences, overSequences } from './sequences.js';

/** A layer with a recurrent state, which has the earlier tokens that the layer still needs. */
export interface StatefulLayer extends Layer, Required<Pick<Part, 'states'>> {}

/** Returns the standard deviation of torch.nn.Conv1d's initial weights, uniform within ±1 / √tokens for this kernel size. */
const standardDeviation = (tokens: number) => 1 / Math.sqrt(3 * tokens);

/**
 * Builds the layer x + convolution(x).
 *
 * @param path the module's path in the checkpoint, e.g. `model.layers.0.canonA`
 * @param tokens the kernel size: the number of tokens that the convolution sees, the current one included
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
      overSequences(
        scope,
        [x],
        (sequences, [rows]) => {
          const convolved = convolveSequences(sequences, rows, path, { weight: scope.parameter(weight) });
          return scope.g.add(rows, scope.g.reshape(convolved, rows.shape));
        },
        tokens,
      ),
  };
}

/** Returns a part of a block (e.g. attention) that applies `layer` to its input first. */
export function preceded(layer: StatefulLayer, part: Part): Part {
  return {
    ...part,
    parameters: [...layer.parameters, ...part.parameters],
    states: [...layer.states, ...(part.states ?? [])],
    attends: part.attends ?? part.states === undefined,
    apply: (scope, x, place) => part.apply(scope, layer.apply(scope, x), place),
  };
}
