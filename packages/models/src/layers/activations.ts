// Computes the activation functions that a config.json may name.
import type { GraphBuilder, Value } from '@bowyer/graph';

const functions = {
  silu: (g, x) => g.silu(x),
  swish: (g, x) => g.silu(x),
  gelu: (g, x) => g.gelu(x, 'none'),
  gelu_python: (g, x) => g.gelu(x, 'none'),
  // These three names stand for the same approximation of GELU by tanh.
  gelu_new: (g, x) => g.gelu(x, 'tanh'),
  gelu_fast: (g, x) => g.gelu(x, 'tanh'),
  gelu_pytorch_tanh: (g, x) => g.gelu(x, 'tanh'),
  gelu_python_tanh: (g, x) => g.gelu(x, 'tanh'),
  gelu_accurate: (g, x) => g.gelu(x, 'tanh'),
  quick_gelu: (g, x) => g.mul(x, g.sigmoid(g.mul(x, 1.702))),
  relu: (g, x) => g.relu(x),
  relu2: (g, x) => g.square(g.relu(x)),
  tanh: (g, x) => g.tanh(x),
  sigmoid: (g, x) => g.sigmoid(x),
  linear: (_, x) => x,
} as const satisfies Record<string, (g: GraphBuilder, x: Value) => Value>;

export type ActivationName = keyof typeof functions;

/** The names of the supported activation functions, as Hugging Face's config files have them. */
export const activationNames = Object.keys(functions) as ActivationName[];

export const activate = (g: GraphBuilder, name: ActivationName, x: Value): Value => functions[name](g, x);

/**
 * Applies an activation whose result is normalised afterwards, more precisely than `activate`. ONNX Runtime's Sigmoid has an error of
 * 1e-7, which is large relative to SiLU's small results for negative x; here σ(x) = exp(min(x, 0)) / (1 + exp(−|x|)), whose relative
 * error is that of float32.
 */
export function activatePrecisely(g: GraphBuilder, name: ActivationName, x: Value): Value {
  if (name !== 'silu' && name !== 'swish') return activate(g, name, x);
  return g.mul(x, g.div(g.exp(g.min(x, 0)), g.add(g.exp(g.neg(g.abs(x))), 1)));
}
