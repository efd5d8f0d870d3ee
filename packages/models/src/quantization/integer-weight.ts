// Computes integer products for decoding: weights in 8 bits with one scale per output, activations in 8 bits with one scale per row, so
// that a row's result does not depend on other rows.
//
//     W' = W H,  x' = x H            H orthogonal, H Hᵀ = 1, so x' W'ᵀ = x Wᵀ
//     q  = round(127 x' / a),  a = max |x'|   per row
//     p  = round(127 W' / c),  c = max |W'|   per output
//     y  = a · c / 127² · q pᵀ + b
//
// H is a block-diagonal matrix of normalised Hadamard matrices, each of which mixes a group of up to 32 neighbouring inputs. It
// spreads a single large activation over its group; otherwise this activation would determine the scale of the whole row.
// Sources: Dettmers et al. 2022 (arXiv:2208.07339), section 3 (a scale for each row and column; outliers), Ashkboos et al. 2024
// (arXiv:2404.00456) (Hadamard matrices against outliers).
import { freeMemory } from '@bowyer/core';
import { GraphBuilder, type OperatorMethods, type Program, type Value } from '@bowyer/graph';
import { dequantizeColumns, dequantizeRows, type WeightInMemory } from './quantized-weight.js';

/** The type of both operands. Some CPUs add products of 8 bits exactly only if both are uint8, which is slower. */
export type IntegerKind = 'int8' | 'uint8';

export interface IntegerWeight {
  /** [in, out] the weight's integers p (see above); unsigned numbers are p + 128. */
  numbers: Int8Array | Uint8Array;
  /** [out] the scale of each output, c / 127² (see above). */
  scales: Float32Array;
}

/** The largest number of neighbouring inputs that are mixed; 64 was not better than 32 on two small models with and without outliers. */
export const LARGEST_RUN = 32;

/** Returns the number of neighbouring inputs that are mixed: the largest power of two up to 32 that divides `inputs`. */
export function mixedRun(inputs: number): number {
  let run = 1;
  while (run < LARGEST_RUN && inputs % (2 * run) === 0) run *= 2;
  return run;
}

/** Makes the Hadamard matrix [n, n], n a power of two: ±1/√n, negative where row and column have an odd number of common bits. */
export function mixingMatrix(run: number): Float32Array {
  return Float32Array.from({ length: run * run }, (_, i) => {
    let odd = 0;
    for (let shared = Math.floor(i / run) & (i % run); shared; shared >>= 1) odd ^= shared & 1;
    return (odd ? -1 : 1) / Math.sqrt(run);
  });
}

/**
 * Multiplies the rows of x [rows, in] by H (see above), and rounds them to 127 levels on either side of 0.
 *
 * @returns levels [rows, in], unsigned ones plus 128, and largest [rows, 1], the largest absolute value of each row. For a row of
 *   zeros the levels are arbitrary (from 0 / 0), and largest is 0.
 */
function roundedRows(g: OperatorMethods, x: Value, kind: IntegerKind): { levels: Value; largest: Value } {
  const inputs = x.dim(1) as number;
  const run = mixedRun(inputs);
  const name = `mixing_${run}`;
  const matrix =
    g.initializers.find((value) => value.name === name) ?? g.initializer(name, mixingMatrix(run), [run, run]);
  const mixed = g.reshape(g.matMul(g.reshape(x, [-1, run]), matrix), x.shape);
  const largest = g.reduceMax(g.abs(mixed), { axes: [1], keepdims: true });
  const scales = g.squeeze(g.mul(largest, 1 / 127), 1);
  return { levels: g.quantizeLinear(mixed, scales, kind === 'int8' ? 0 : 128, kind), largest };
}

/** Computes x [rows, in] · Wᵀ + b. Products with the same x share its rounding, since the builder creates equal nodes once. */
export function integerProduct(
  g: OperatorMethods,
  x: Value,
  { numbers, scales }: { numbers: Value; scales: Value },
  bias: Value | undefined,
): Value {
  const { levels, largest } = roundedRows(g, x, 'uint8');
  const product = g.mul(g.integerMatMul(levels, numbers, scales, 128), largest);
  return bias ? g.add(product, bias) : product;
}

/** Builds the graph that rounds a weight: rows [rows, in] → levels [in, rows], and largest |number| [rows, 1]. */
export function roundingGraph(inputs: number, kind: IntegerKind): GraphBuilder {
  const g = new GraphBuilder('round_rows');
  const { levels, largest } = roundedRows(g, g.input('x', 'float32', ['rows', inputs]), kind);
  g.output('levels', g.transpose(levels, [1, 0]));
  g.output('largest', largest);
  return g;
}

/** A reader of the float32 rows of a weight [outputs, inputs], which are read in slices. */
export interface WeightRows {
  shape: readonly [outputs: number, inputs: number];
  /** Fills `data` [rows, inputs], which contains zeros, with the rows from `first` on. */
  fill(first: number, data: Float32Array): void;
}

export const weightRows = (weight: WeightInMemory): WeightRows => ({
  shape: weight.shape,
  fill: (first, data) => dequantizeRows(weight, first, data),
});

/** Makes `WeightRows` from float32 numbers. @param data [outputs, inputs] */
export const floatRows = (shape: WeightRows['shape'], data: Float32Array): WeightRows => ({
  shape,
  fill: (first, rows) => rows.set(data.subarray(first * shape[1], first * shape[1] + rows.length)),
});

/** Reads rows of the transposed weight, for a product's gradient. @param length the number of outputs, padded by zeros */
export const transposedRows = (weight: WeightInMemory, length: number): WeightRows => ({
  shape: [weight.shape[1], length],
  fill: (first, data) => dequantizeColumns(weight, first, length, data),
});

/** The number of a weight's elements that are in memory in float32 at a time. */
const SLICE = 1 << 21;

/**
 * Converts a weight to 8-bit integers with one scale per output, after its multiplication by H (see above).
 *
 * @param rounding the compiled `roundingGraph` for the weight's inputs
 * @param slice the number of elements that are in float32 at a time
 */
export async function integerWeight(
  weight: WeightRows,
  kind: IntegerKind,
  rounding: Program,
  slice = SLICE,
): Promise<IntegerWeight> {
  const [outputs, inputs] = weight.shape;
  const numbers = kind === 'int8' ? new Int8Array(outputs * inputs) : new Uint8Array(outputs * inputs);
  const scales = new Float32Array(outputs);
  const rowsAtOnce = Math.min(outputs, Math.max(1, Math.floor(slice / inputs)));
  // There are two buffers: while the device reads one slice of rows, the next is written to the other buffer.
  const slices = [0, 1].map(() => new Float32Array(rowsAtOnce * inputs));
  let placed = Promise.resolve();
  for (let first = 0; first < outputs; first += rowsAtOnce) {
    const rows = Math.min(rowsAtOnce, outputs - first);
    const x = { dims: [rows, inputs], data: slices[0].subarray(0, rows * inputs) };
    weight.fill(first, x.data);
    slices.reverse();
    await placed;
    placed = rounding.run({ inputs: { x } }).then(({ levels, largest }) => {
      const columns = levels.data as Uint8Array;
      for (let input = 0; input < inputs; input++)
        numbers.set(columns.subarray(input * rows, (input + 1) * rows), input * outputs + first);
      for (let row = 0; row < rows; row++) scales[first + row] = (largest.data[row] as number) / 127 ** 2;
    });
  }
  await placed;
  slices.forEach(freeMemory);
  return { numbers, scales };
}
