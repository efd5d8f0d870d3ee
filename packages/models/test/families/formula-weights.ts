// Computes weights, token ids and projections from a name and an index, in the same way as families/make-family-recordings.py.
import type { HostTensor, HostTensors } from '@bowyer/checkpoints';
import type { ParameterSpec } from '../../src/architecture/parameter-spec.js';

/** Computes numbers in [−1, 1) from the name (FNV-1a) and the index (mixed by lowbias32). */
export function hashes(name: string, count: number): Float64Array {
  let seed = 0x811c9dc5;
  for (const character of name) seed = Math.imul(seed ^ character.charCodeAt(0), 0x01000193);
  return Float64Array.from({ length: count }, (_, i) => {
    let x = (Math.imul(i, 0x9e3779b9) + seed) | 0;
    x ^= x >>> 16;
    x = Math.imul(x, 0x21f0aaad);
    x ^= x >>> 15;
    x = Math.imul(x, 0x735a2d97);
    x ^= x >>> 15;
    return (x >>> 0) / 2147483648 - 1;
  });
}

export const tokenIds = (name: string, count: number, vocabulary: number): number[] =>
  Array.from(hashes(name, count), (u) => 3 + Math.floor(((u + 1) / 2) * (vocabulary - 3)));

/** Computes weights that are large enough for every part of the model to change the output. */
function formulaWeight(name: string, shape: number[]): HostTensor {
  const u = hashes(
    name,
    shape.reduce((size, dim) => size * dim, 1),
  );
  const isScale = /norm|\.ln_/.test(name) && name.endsWith('weight');
  const isVector = name.endsWith('bias') || shape.length === 1;
  const value = (x: number) => (isScale ? 1 + 0.3 * x : isVector ? 0.3 * x : (2.5 * x) / Math.sqrt(shape.at(-1)!));
  return { shape, data: Float32Array.from(u, value) };
}

export const formulaWeights = (specs: readonly ParameterSpec[]): HostTensors =>
  Object.fromEntries(specs.map(({ name, shape }) => [name, formulaWeight(name, shape)]));

/** Computes the norm of a gradient, and its products with two vectors by the formula. */
export function projections(name: string, gradient: ArrayLike<number>): number[] {
  const values = Float64Array.from(gradient);
  const dot = (other: Float64Array) => values.reduce((sum, value, i) => sum + value * other[i], 0);
  return [Math.sqrt(dot(values)), ...[0, 1].map((k) => dot(hashes(`${name}#${k}`, values.length)))];
}
