// Builds a linear layer and draws its initial weights as torch.nn.Linear does: weight [out, in], y = x Wᵀ + b.
import type { Rng } from '@bowyer/core';
import type { GraphBuilder, Value } from '@bowyer/graph';
import type { HostTensor, HostTensors } from '@bowyer/checkpoints';

/** The parameters of a model as values of a graph, by their names in the checkpoint. */
export type Parameters = Readonly<Record<string, Value>>;

/** Maps x [..., in] → [..., out] with the parameters `name.weight` and `name.bias`. */
export function linear(g: GraphBuilder, x: Value, parameters: Parameters, name: string): Value {
  const [weight, bias] = [parameters[`${name}.weight`], parameters[`${name}.bias`]];
  if (x.rank === 2) return g.gemm(x, weight, bias, { transB: true });
  return g.add(g.fusedMatMul(x, weight, { transB: true }), bias);
}

/** Applies linear, ReLU, linear, with the parameters of `name.0` and `name.2`. */
export const perceptron = (g: GraphBuilder, x: Value, parameters: Parameters, name: string): Value =>
  linear(g, g.relu(linear(g, x, parameters, `${name}.0`)), parameters, `${name}.2`);

/** Declares each tensor as a graph input of the same name, since trainable parameters are inputs. */
export function parameterInputs(
  g: GraphBuilder,
  tensors: Readonly<Record<string, { shape: readonly number[] }>>,
): Parameters {
  return Object.fromEntries(
    Object.entries(tensors).map(([name, { shape }]) => [name, g.input(name, 'float32', shape)]),
  );
}

/** Draws torch's default initial values: weight and bias uniform in ±1/√in. */
export function initializeLinear(rng: Rng, name: string, inputs: number, outputs: number): HostTensors {
  const bound = 1 / Math.sqrt(inputs);
  const uniform = (shape: number[]) => filled(shape, () => bound * (2 * rng.uniform() - 1));
  return { [`${name}.weight`]: uniform([outputs, inputs]), [`${name}.bias`]: uniform([outputs]) };
}

/** Draws normal weights of variance 2/in, which suits ReLUs, and zero biases. Source: He et al. 2015, arXiv:1502.01852. */
export function heLinear(rng: Rng, name: string, inputs: number, outputs: number): HostTensors {
  const deviation = Math.sqrt(2 / inputs);
  return {
    [`${name}.weight`]: filled([outputs, inputs], () => deviation * rng.normal()),
    [`${name}.bias`]: filled([outputs], () => 0),
  };
}

/** Makes a tensor whose elements are drawn one after the other. */
export function filled(shape: number[], draw: () => number): HostTensor {
  const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
  for (let i = 0; i < data.length; i++) data[i] = draw();
  return { shape, data };
}
