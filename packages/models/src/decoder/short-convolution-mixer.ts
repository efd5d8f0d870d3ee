// Builds LFM2's mixer of tokens: a short convolution between two gates.
//
//     B, C, x′ = in(x);   y = out(C · convolution(B · x′))
//
// Source: Liquid AI, LFM2 technical report, arXiv:2511.23404, section 2; names and layout of Hugging Face's Lfm2ShortConv.
import type { Value } from '@bowyer/graph';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import { linear, type Part } from './parts.js';
import { convolveSequences, overSequences, type Sequences } from './sequences.js';

interface ShortConvolutionMixer {
  /** The module's path, e.g. `model.layers.0.conv`. */
  path: string;
  width: number;
  /** The kernel size of the convolution: the number of tokens that it sees, the current one included. */
  tokens: number;
  bias: boolean;
  standardDeviation: number;
}

export function shortConvolutionMixer(options: ShortConvolutionMixer): Part {
  const { path, width, tokens, bias, standardDeviation } = options;
  const into = linear(`${path}.in_proj`, 3 * width, width, { bias, standardDeviation });
  const out = linear(`${path}.out_proj`, width, width, { bias, standardDeviation });
  const [weight, biasName] = [`${path}.conv.weight`, bias ? `${path}.conv.bias` : undefined];
  const own: ParameterSpec[] = [
    { name: weight, shape: [width, 1, tokens], init: { kind: 'normal', standardDeviation } },
    ...(biasName ? [{ name: biasName, shape: [width], init: { kind: 'zeros' } as const }] : []),
  ];
  const state = `${path}.convolution`;
  return {
    parameters: [...own, ...into.parameters, ...out.parameters],
    states: [{ name: state, shape: [tokens - 1, width] }],
    apply(scope, x) {
      const { g } = scope;
      const [before, after, inner] = g.split(into.apply(scope, x), 1, 3);
      const convolve = (sequences: Sequences, [rows]: readonly Value[]) => {
        const convolved = convolveSequences(sequences, rows, state, {
          weight: scope.parameter(weight),
          bias: biasName === undefined ? undefined : scope.parameter(biasName),
        });
        return g.reshape(convolved, rows.shape);
      };
      const mixed = overSequences(scope, [g.mul(before, inner)], convolve, tokens);
      return out.apply(scope, g.mul(after, mixed));
    },
  };
}
