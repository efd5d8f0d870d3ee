// Convolves the keys of attention over the last tokens, each channel by itself ("smeared keys"). With keys that contain the
// previous token, a single attention layer can form an induction head, which otherwise needs two attention layers.
// Source: Olsson et al. 2022, arXiv:2209.11895 (mixes each key with the previous one, by one number per head); So et al. 2021,
// arXiv:2109.08668 (a depthwise convolution after the projections).
import type { Value } from '@bowyer/graph';
import type { ForwardScope } from '../architecture/architecture.js';
import type { Layer, Part } from './parts.js';
import { convolveSequences, overSequences } from './sequences.js';

export interface KeyConvolution extends Layer, Pick<Part, 'states'> {}

/**
 * Builds a depthwise causal convolution of the keys, whose initial weights compute an average over the tokens.
 *
 * @param width keyValueHeads · headSize
 * @param tokens the kernel size: the number of tokens that the convolution sees, the key's own token included
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
      overSequences(
        scope,
        [keys],
        (sequences, [own]) => {
          const convolved = convolveSequences(sequences, own, path, { weight: scope.parameter(weight) });
          return scope.g.reshape(convolved, own.shape);
        },
        seen,
      ),
  };
}
