// Computes the four heads of the double critic, each a perceptron with two hidden layers: Q1 and Q2 read state and action, V1 and
// V2 the state.
// Source: ArCHer, Zhou et al. 2024 (arXiv:2402.19446), section 3.3; widths as in its code.
import type { Rng } from '@bowyer/core';
import type { GraphBuilder, Value } from '@bowyer/graph';
import { initializeLinear, linear, type Parameters } from '../layers/linear.js';
import type { HostTensors } from '@bowyer/checkpoints';

export const qHeads = ['q1', 'q2'] as const;
export const vHeads = ['v1', 'v2'] as const;

export interface HeadSizes {
  /** The width of the Q heads' input. */
  qWidth: number;
  /** The width of the V heads' input. */
  vWidth: number;
  hiddenWidth: number;
  /** The initial bias of the last layer: the return that is expected before any training. */
  outputBias: number;
}

/** Draws initial weights, with the names and the distribution of torch.nn.Sequential(Linear, ReLU, Linear, ReLU, Linear). */
export function initializeHeads(rng: Rng, { qWidth, vWidth, hiddenWidth, outputBias }: HeadSizes): HostTensors {
  const head = (name: string, width: number): HostTensors => {
    const output = initializeLinear(rng, `${name}.4`, hiddenWidth, 1);
    output[`${name}.4.bias`].data[0] += outputBias;
    return {
      ...initializeLinear(rng, `${name}.0`, width, hiddenWidth),
      ...initializeLinear(rng, `${name}.2`, hiddenWidth, hiddenWidth),
      ...output,
    };
  };
  return Object.assign({}, ...qHeads.map((name) => head(name, qWidth)), ...vHeads.map((name) => head(name, vWidth)));
}

/** Applies the heads with the given names to the features x, [N, width] → [N, number of heads]. */
export function applyHeads(g: GraphBuilder, x: Value, parameters: Parameters, names: readonly string[]): Value {
  const outputs = names.map((name) => {
    const first = g.relu(linear(g, x, parameters, `${name}.0`));
    const second = g.relu(linear(g, first, parameters, `${name}.2`));
    return linear(g, second, parameters, `${name}.4`);
  });
  return g.concat(outputs, 1);
}
