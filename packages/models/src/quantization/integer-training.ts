// Products of integers for training beside a frozen weight: forward as in decoding (see integer-weight.ts), and the gradient by the
// input as one more such product, with the transposed weight in 8 bits of its own. Rounding itself has no gradient: dx is rounded
// from that of the product in exact numbers, dx = dy W.
import { withGradient, type Device, type GraphBuilder, type Program, type Value } from '@bowyer/graph';
import { integerKind } from './integer-decoding.js';
import {
  integerProduct,
  integerWeight,
  roundingGraph,
  transposedRows,
  weightRows,
  type IntegerWeight,
  type WeightRows,
} from './integer-weight.js';
import type { QuantizedWeight } from './quantized-weight.js';

/** A frozen weight [out, in]. */
export interface TrainingIntegers {
  /** Of x Wᵀ: numbers [in, out], scales [out]. */
  forward: IntegerWeight;
  /** Of dy W: numbers [out, in], scales [in]. */
  backward: IntegerWeight;
  shape: readonly [outputs: number, inputs: number];
}

/** Both forms of each weight. */
export async function trainingIntegers(
  device: Device,
  weights: ReadonlyMap<string, QuantizedWeight>,
): Promise<ReadonlyMap<string, TrainingIntegers>> {
  const kind = await integerKind(device);
  const programs = new Map<number, Program>();
  const integers = async (rows: WeightRows) => {
    const inputs = rows.shape[1];
    const program = programs.get(inputs) ?? (await device.compile(roundingGraph(inputs, kind)));
    programs.set(inputs, program);
    return integerWeight(rows, kind, program);
  };
  const found = new Map<string, TrainingIntegers>();
  try {
    for (const [name, weight] of weights) {
      const forward = await integers(weightRows(weight));
      found.set(name, { forward, backward: await integers(transposedRows(weight)), shape: weight.shape });
    }
    return found;
  } finally {
    for (const program of programs.values()) await program.release();
  }
}

/** x [rows, in] · Wᵀ + b. */
export function trainingProduct(
  g: GraphBuilder,
  x: Value,
  name: string,
  { forward, backward, shape: [outputs, inputs] }: TrainingIntegers,
  bias: Value | undefined,
): Value {
  const y = integerProduct(g, x, weightValues(g, `${name}/forward`, forward, [inputs, outputs]), undefined);
  const weightBack = () => weightValues(g, `${name}/backward`, backward, [outputs, inputs]);
  const product = withGradient(g, y, x, (methods, dy) => integerProduct(methods, dy, weightBack(), undefined));
  return bias ? g.add(product, bias) : product;
}

/** The integers in the graph as initializers, made once where a weight is multiplied more than once. */
function weightValues(g: GraphBuilder, name: string, { numbers, scales }: IntegerWeight, shape: number[]) {
  const made = (key: string) => g.initializers.find((value) => value.name === key);
  const dtype = numbers instanceof Uint8Array ? 'uint8' : 'int8';
  return {
    numbers: made(`${name}/integers`) ?? g.initializer(`${name}/integers`, numbers, shape, dtype),
    scales: made(`${name}/scales`) ?? g.initializer(`${name}/scales`, scales, [shape[1]]),
  };
}
