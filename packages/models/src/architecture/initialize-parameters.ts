// Draws initial values for the parameters of a model that is trained from scratch.
import { totalmem } from 'node:os';
import type { Rng } from '@bowyer/core';
import type { ParameterSpec } from './parameter-spec.js';
import type { HostTensor, HostTensors } from '@bowyer/checkpoints';

const GIB = 2 ** 30;

/** Throws Error if the parameters alone, in float32, do not fit into this machine's memory. */
export function checkMemory(parameters: readonly ParameterSpec[]): void {
  const count = parameters.reduce((sum, { shape }) => sum + shape.reduce((size, dim) => size * dim, 1), 0);
  if (4 * count <= totalmem()) return;
  throw new Error(
    `the model has ${(count / 1e9).toFixed(1)} billion parameters, ${Math.ceil((4 * count) / GIB)} GiB in float32; ` +
      `this machine has ${Math.floor(totalmem() / GIB)} GiB of memory\n  choose a smaller width (policy.n_embd) or fewer layers (policy.n_layer)`,
  );
}

/** Initializes every parameter as its spec defines. All parameters are drawn from one random stream, in the order of `parameters`. */
export function initializeParameters(parameters: readonly ParameterSpec[], rng: Rng): HostTensors {
  return Object.fromEntries(parameters.map((spec) => [spec.name, initializeParameter(spec, rng)]));
}

/** Initializes one parameter. The values depend on how many numbers were drawn from `rng` before. */
export function initializeParameter({ shape, init }: ParameterSpec, rng: Rng): HostTensor {
  const data = new Float32Array(shape.reduce((size, dim) => size * dim, 1));
  if (init.kind === 'normal') fillNormal(data, init.standardDeviation, rng);
  else if (init.kind === 'ones') data.fill(1);
  return { shape, data };
}

/** Fills an array with normally distributed numbers by the Box–Muller transform, and uses both numbers of each pair for speed. */
function fillNormal(data: Float32Array, standardDeviation: number, rng: Rng): void {
  for (let i = 0; i < data.length; i += 2) {
    const radius = standardDeviation * Math.sqrt(-2 * Math.log((rng.uint32() + 1) / 4294967296));
    const angle = 2 * Math.PI * (rng.uint32() / 4294967296);
    data[i] = radius * Math.cos(angle);
    if (i + 1 < data.length) data[i + 1] = radius * Math.sin(angle);
  }
}
