// Smeared keys: a short convolution of the keys of attention over the last tokens, each channel by itself. A key that carries the token
// before makes an induction head of one layer, where without it two layers must find each other first.
// Source: Olsson et al. 2022, arXiv:2209.11895 (a share of the key before, one for each head); So et al. 2021, arXiv:2109.08668 (a
// depthwise convolution behind the projections).
import type { Value } from '@bowyer/graph';
import type { ForwardScope } from '../architecture/architecture.js';
import type { Layer, Part } from './parts.js';
import { convolveSequences, overSequences } from './sequences.js';

export interface KeyConvolution extends Layer, Pick<Part, 'states'> {}

/**
 * Builds a depthwise causal convolution of the keys.
 *
 * @param width keyValueHeads · headSize
 * @param tokens that a key sees, its own included; at first they count alike
 */
export function keyConvolution(
  path: string,
  { width, tokens: seen }: { width: number; tokens: number },
): KeyConvolution {
  const weight = `${path}.weight`;
  return {
    parameters: [{ name: weight, shape: [width, 1, seen], init: { kind: 'ones' } }],
    states: [{ name: path, shape: [seen - 1, width] }],
    apply: (scope: ForwardScope, keys: Value) =>
      overSequences(scope, [keys], (sequences, [own]) => {
        const convolved = convolveSequences(sequences, own, path, { weight: scope.parameter(weight) });
        return scope.g.reshape(convolved, own.shape);
      }),
  };
}
