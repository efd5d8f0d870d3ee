// Products of whole numbers for decoding: weights in 8 bits with one scale for each output, activations rounded to 8 bits
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
import type { GraphBuilder, Value } from '@bowyer/graph';
import { dequantizeRows, type QuantizedWeight } from './quantized-weight.js';

/** Whether the processor adds products of 8 bits exactly when one side is signed; where not, both are unsigned: exact and slower. */
export type IntegerKind = 'int8' | 'uint8';

export interface IntegerWeight {
  /** [in, out] p, as unsigned numbers 128 more. */
  numbers: Int8Array | Uint8Array;
  /** [out] c / 127² */
  scales: Float32Array;
}

/** Largest run of inputs that are mixed. */
const LARGEST_RUN = 32;

/** How many neighbouring inputs are mixed: the largest power of two up to 32 that divides their number. */
export function mixedRun(inputs: number): number {
  let run = 1;
  while (run < LARGEST_RUN && inputs % (2 * run) === 0) run *= 2;
  return run;
}

/** Mixes each run of a row, in place: n log n additions for the n² of the matrix. */
export function mixRuns(values: Float32Array, run: number): void {
  const factor = 1 / Math.sqrt(run);
  for (let start = 0; start < values.length; start += run) {
    for (let half = 1; half < run; half *= 2) {
      for (let i = start; i < start + run; i += 2 * half) {
        for (let j = i; j < i + half; j++) {
          const [a, b] = [values[j], values[j + half]];
          values[j] = a + b;
          values[j + half] = a - b;
        }
      }
    }
    for (let i = start; i < start + run; i++) values[i] *= factor;
  }
}

/** Rows that are turned into columns together, so that memory is written in runs. */
const TILE = 64;

/** The numbers that a quantised weight stands for, mixed and rounded to 8 bits with one scale for each output. */
export function integerWeight(weight: QuantizedWeight, kind: IntegerKind): IntegerWeight {
  const [outputs, inputs] = weight.shape;
  const run = mixedRun(inputs);
  const numbers = kind === 'int8' ? new Int8Array(outputs * inputs) : new Uint8Array(outputs * inputs);
  const middle = kind === 'int8' ? 0 : 128;
  const scales = new Float32Array(outputs);
  const tile = new Float32Array(TILE * inputs);
  for (let first = 0; first < outputs; first += TILE) {
    const rows = tile.subarray(0, Math.min(TILE, outputs - first) * inputs);
    dequantizeRows(weight, first, rows);
    mixRuns(rows, run);
    const count = rows.length / inputs;
    const inverses = new Float32Array(count);
    for (let row = 0; row < count; row++) {
      let largest = 0;
      for (let i = row * inputs; i < (row + 1) * inputs; i++) largest = Math.max(largest, Math.abs(rows[i]));
      scales[first + row] = largest / 127 ** 2;
      inverses[row] = largest > 0 ? 127 / largest : 0;
    }
    for (let input = 0; input < inputs; input++) {
      const at = input * outputs + first;
      for (let row = 0; row < count; row++)
        numbers[at + row] = Math.round(rows[row * inputs + input] * inverses[row]) + middle;
    }
  }
  return { numbers, scales };
}

/** H for runs of inputs. */
function mixingMatrix(g: GraphBuilder, run: number): Value {
  const name = `mixing_${run}`;
  const existing = g.initializers.find((value) => value.name === name);
  if (existing) return existing;
  const matrix = new Float32Array(run * run);
  for (let i = 0; i < run; i++) matrix[i * run + i] = 1;
  mixRuns(matrix, run); // the matrix's rows, mixed one by one: H itself, since it is symmetric
  return g.initializer(name, matrix, [run, run]);
}

/** x [rows, in] · Wᵀ + b. Products with the same x share its rounding, since equal nodes are made once. */
export function integerProduct(
  g: GraphBuilder,
  x: Value,
  { numbers, scales }: { numbers: Value; scales: Value },
  bias: Value | undefined,
): Value {
  const inputs = x.dim(1) as number;
  const run = mixedRun(inputs);
  const mixed = g.reshape(g.matMul(g.reshape(x, [-1, run]), mixingMatrix(g, run)), [-1, inputs]);
  const largest = g.reduceMax(g.abs(mixed), { axes: [1], keepdims: true });
  // A row of zeros becomes 0 / 0 here, some whole number then, and 0 again when it is multiplied by its scale.
  const levels = g.quantizeLinear(g.div(mixed, largest), 1 / 127, 128);
  const product = g.mul(g.integerMatMul(levels, numbers, scales, 128), largest);
  return bias ? g.add(product, bias) : product;
}
