// Builds the feed-forward layer of a decoder's block.
import type { Value } from '@bowyer/graph';
import type { ForwardScope } from '../architecture/architecture.js';
import { activate, type ActivationName } from '../layers/activations.js';
import type { Layer, Part } from './parts.js';

/** Builds the feed-forward layer down(activation(up(x))), without a gate. */
export function plainFeedForward(activation: ActivationName, up: Layer, down: Layer): Part {
  return {
    parameters: [up, down].flatMap(({ parameters }) => parameters),
    apply: (scope, x) => down.apply(scope, activate(scope.g, activation, up.apply(scope, x))),
  };
}

/**
 * Builds the feed-forward layer down(activation(gate(x)) · up(x)). Source: Shazeer 2020, arXiv:2002.05202, eq. 6.
 *
 * @param gateAndUp two layers, or a joint layer whose first outputs are those of the gate
 */
export function gatedFeedForward(
  activation: ActivationName,
  gateAndUp: readonly [gate: Layer, up: Layer] | Layer,
  down: Layer,
): Part {
  const inputs = 'apply' in gateAndUp ? [gateAndUp] : gateAndUp;
  const both = (scope: ForwardScope, x: Value): Value[] =>
    'apply' in gateAndUp
      ? scope.g.split(gateAndUp.apply(scope, x), 1, 2)
      : gateAndUp.map((layer) => layer.apply(scope, x));
  return {
    parameters: [...inputs, down].flatMap(({ parameters }) => parameters),
    apply(scope, x) {
      const [gate, up] = both(scope, x);
      return down.apply(scope, scope.g.mul(activate(scope.g, activation, gate), up));
    },
  };
}
