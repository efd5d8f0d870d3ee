// Products of integers for decoding: weights in 8 bits with one scale for each output, activations rounded to 8 bits
// with one scale for each row, so that a row's result does not depend on the rows beside it.
//
//     W' = W H,  x' = x H            H orthogonal, H Hᵀ = 1, so x' W'ᵀ = x Wᵀ
//     q  = round(127 x' / a),  a = max |x'|   per row
//     p  = round(127 W' / c),  c = max |W'|   per output
//     y  = a · c / 127² · q pᵀ + b
//
// H mixes runs of up to 32 neighbouring inputs (Hadamard matrices, divided by their root of size): a single large activation,
// which would take all 8 bits of its row, is spread over its run. Sources: Dettmers et al. 2022 (arXiv:2208.07339), section 3
// (a scale for each row and column; outliers), Ashkboos et al. 2024 (arXiv:2404.00456) (Hadamard matrices against them).
import { GraphBuilder, type OperatorMethods, type Program, type Value } from '@bowyer/graph';
import { dequantizeColumns, dequantizeRows, type QuantizedWeight } from './quantized-weight.js';

/** Whether the CPU adds products of 8 bits exactly when one side is signed; where not, both are unsigned: exact and slower. */
export type IntegerKind = 'int8' | 'uint8';

export interface IntegerWeight {
  /** [in, out] p, as unsigned numbers 128 more. */
  numbers: Int8Array | Uint8Array;
  /** [out] c / 127² */
  scales: Float32Array;
}

/** Largest run of inputs that are mixed: 64 gained nothing over 32 on two small models with and without outliers. */
export const LARGEST_RUN = 32;

/** Says how many neighbouring inputs are mixed: the largest power of two up to 32 that divides their number. */
export function mixedRun(inputs: number): number {
  let run = 1;
  while (run < LARGEST_RUN && inputs % (2 * run) === 0) run *= 2;
  return run;
}

/**
 * Makes the Hadamard matrix for a run of n inputs, n a power of two: ±1/√n, negative where the row's and the column's number share an
 * odd count of bits.
 */
export function mixingMatrix(run: number): Float32Array {
  return Float32Array.from({ length: run * run }, (_, i) => {
    let odd = 0;
    for (let shared = Math.floor(i / run) & (i % run); shared; shared >>= 1) odd ^= shared & 1;
    return (odd ? -1 : 1) / Math.sqrt(run);
  });
}

/**
 * Mixes the numbers of each row of x [rows, in] and rounds them to 127 levels on either side of 0.
 *
 * @returns levels [rows, in], as unsigned numbers 128 more, and largest [rows, 1], the largest size in each row. A row of zeros has
 * whatever levels 0 / 0 becomes, and 0 as its largest size.
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

/** Computes x [rows, in] · Wᵀ + b. Products with the same x share its rounding, since equal nodes are made once. */
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

/** Builds the graph that `integerWeight` runs: rows [rows, in] → their levels as columns [in, rows], and largest [rows, 1]. */
export function roundingGraph(inputs: number, kind: IntegerKind): GraphBuilder {
  const g = new GraphBuilder('round_rows');
  const { levels, largest } = roundedRows(g, g.input('x', 'float32', ['rows', inputs]), kind);
  g.output('levels', g.transpose(levels, [1, 0]));
  g.output('largest', largest);
  return g;
}

/** Rows of a weight in float32: [outputs, inputs] in all. */
export interface WeightRows {
  shape: readonly [outputs: number, inputs: number];
  /** Fills `data` [rows, inputs], which is zeros, with rows from `first` on. */
  fill(first: number, data: Float32Array): void;
}

export const weightRows = (weight: QuantizedWeight): WeightRows => ({
  shape: weight.shape,
  fill: (first, data) => dequantizeRows(weight, first, data),
});

/**
 * Makes a source of rows from float32 numbers.
 *
 * @param data [outputs, inputs]
 */
export const floatRows = (shape: WeightRows['shape'], data: Float32Array): WeightRows => ({
  shape,
  fill: (first, rows) => rows.set(data.subarray(first * shape[1], first * shape[1] + rows.length)),
});

/**
 * Returns the numbers of the weight's transpose, as the product's gradient needs them.
 *
 * @param length of a row; zeros follow the weight's own outputs
 */
export const transposedRows = (weight: QuantizedWeight, length: number): WeightRows => ({
  shape: [weight.shape[1], length],
  fill: (first, data) => dequantizeColumns(weight, first, length, data),
});

/** Numbers that are in float32 at a time. */
const SLICE = 1 << 21;

/**
 * Returns the numbers of a weight, mixed and rounded to 8 bits with one scale for each output.
 *
 * @param rounding the compiled `roundingGraph` for the weight's inputs
 * @param slice numbers that are in float32 at a time
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
  const rowsAtOnce = Math.max(1, Math.floor(slice / inputs));
  let placed = Promise.resolve();
  for (let first = 0; first < outputs; first += rowsAtOnce) {
    const rows = Math.min(rowsAtOnce, outputs - first);
    const data = new Float32Array(rows * inputs);
    weight.fill(first, data); // while the device works on the rows before
    await placed;
    placed = rounding.run({ inputs: { x: { dims: [rows, inputs], data } } }).then(({ levels, largest }) => {
      const columns = levels.data as Uint8Array;
      for (let input = 0; input < inputs; input++)
        numbers.set(columns.subarray(input * rows, (input + 1) * rows), input * outputs + first);
      for (let row = 0; row < rows; row++) scales[first + row] = (largest.data[row] as number) / 127 ** 2;
    });
  }
  await placed;
  return { numbers, scales };
}
