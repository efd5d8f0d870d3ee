// The activation functions that a config.json may name.
import type { GraphBuilder, Value } from '@bowyer/graph';

/** gelu is exact; gelu_new, gelu_fast and gelu_pytorch_tanh are one approximation under three names. */
export const activationNames = ['silu', 'gelu', 'gelu_new', 'gelu_fast', 'gelu_pytorch_tanh', 'relu'] as const;

export type ActivationName = (typeof activationNames)[number];

export function activate(g: GraphBuilder, name: ActivationName, x: Value): Value {
  if (name === 'silu') return g.silu(x);
  if (name === 'relu') return g.relu(x);
  return g.gelu(x, name === 'gelu' ? 'none' : 'tanh');
}
