// Computes integer products for training adapters beside a frozen weight. The forward pass is as in decoding (see integer-weight.ts); the
// gradient by the input is another such product, with the transposed weight in separate 8-bit integers. Rounding has no gradient of its
// own: dx = dy W is the gradient of the exact product (straight-through), computed with rounded factors.
//
// The gradient by logits, p − onehot, has a few large numbers among tens of thousands of small ones, which a single scale per row
// would round to 0. So for the head, the largest numbers are multiplied in float32 and only the others are rounded (compare Dettmers
// et al. 2022, arXiv:2208.07339, section 3, which separates columns).
import {
  withGradient,
  type Device,
  type FrozenData,
  type GraphBuilder,
  type OperatorMethods,
  type Program,
  type Value,
} from '@bowyer/graph';
import { integerKind } from './integer-decoding.js';
import {
  integerProduct,
  integerWeight,
  LARGEST_RUN,
  roundingGraph,
  transposedRows,
  weightRows,
  type IntegerKind,
  type IntegerWeight,
  type WeightRows,
} from './integer-weight.js';
import { withNumbers, type QuantizedWeight } from './quantized-weight.js';

interface FrozenIntegers extends Pick<IntegerWeight, 'scales'> {
  numbers: FrozenData;
  kind: IntegerKind;
}

/** The two integer forms of a frozen weight [out, in]. */
export interface TrainingIntegers {
  /** The weight in x Wᵀ: numbers [in, out], scales [out]. */
  forward: FrozenIntegers;
  /** The weight in dy W: numbers [outputs', in], scales [in]; outputs' is outputs padded by zeros to a multiple of 32. */
  backward: FrozenIntegers;
  shape: readonly [outputs: number, inputs: number];
}

/** Makes the integers of each weight for the forward pass and for the backward pass. */
export async function trainingIntegers(
  device: Device,
  weights: ReadonlyMap<string, QuantizedWeight>,
): Promise<ReadonlyMap<string, TrainingIntegers>> {
  const kind = await integerKind(device);
  const sizes = [...weights.values()].map(({ shape }) => paddedOutputs(shape) * shape[1]);
  const store = device.frozenStore(2 * sizes.reduce((sum, size) => sum + size, 0));
  const programs = new Map<number, Program>();
  const integers = async (rows: WeightRows): Promise<FrozenIntegers> => {
    const inputs = rows.shape[1];
    const program = programs.get(inputs) ?? (await device.compile(roundingGraph(inputs, kind)));
    programs.set(inputs, program);
    const { numbers, scales } = await integerWeight(rows, kind, program);
    return { numbers: store?.(numbers) ?? numbers, scales, kind };
  };
  const found = new Map<string, TrainingIntegers>();
  try {
    for (const [name, weight] of weights) {
      await withNumbers(weight, async (read) => {
        const forward = await integers(weightRows(read));
        const backward = await integers(transposedRows(read, paddedOutputs(weight.shape)));
        found.set(name, { forward, backward, shape: weight.shape });
      });
    }
    return found;
  } finally {
    for (const program of programs.values()) await program.release();
  }
}

const paddedOutputs = ([outputs]: TrainingIntegers['shape']) => Math.ceil(outputs / LARGEST_RUN) * LARGEST_RUN;

interface TrainingProductOptions {
  bias?: Value;
  /** Given for the output head: returns the float32 weight that multiplies the largest numbers in each row of the gradient. */
  exact?: () => Value;
}

/** Computes x [rows, in] · Wᵀ + b as an integer product, whose gradient by x is an integer product too. */
export function trainingProduct(
  g: GraphBuilder,
  x: Value,
  name: string,
  { forward, backward, shape }: TrainingIntegers,
  { bias, exact }: TrainingProductOptions,
): Value {
  const [outputs, inputs] = shape;
  const padded = paddedOutputs(shape);
  const y = integerProduct(g, x, weightValues(g, `${name}/forward`, forward, [inputs, outputs]), undefined);
  const product = withGradient(g, y, x, (methods, dy) => {
    const { rest, largest } = exact ? withoutLargest(methods, dy, exact()) : { rest: dy };
    const weightBack = weightValues(g, `${name}/backward`, backward, [padded, inputs]);
    const dx = integerProduct(methods, methods.pad(rest, 1, 0, padded - outputs), weightBack, undefined);
    return largest ? methods.add(dx, largest) : dx;
  });
  return bias ? g.add(product, bias) : product;
}

/** The number of elements in a row of the logits' gradient kept in float32; with 4, some rows lose all small numbers. */
const EXACT = 16;

/** Sets the largest numbers of dy [rows, out] to 0. @returns the rest, and the product of the largest numbers with the weight [out, in] */
function withoutLargest(g: OperatorMethods, dy: Value, weight: Value): { rest: Value; largest: Value } {
  const [, indices] = g.topK(g.abs(dy), Math.min(EXACT, Number(weight.dim(0))), 1);
  const numbers = g.gatherElements(dy, indices, 1);
  const rest = g.scatterElementsAdd(dy, indices, g.neg(numbers), 1);
  const largest = g.squeeze(g.matMul(g.unsqueeze(numbers, 1), g.gather(weight, indices, 0)), 1);
  return { rest, largest };
}

/** Returns the initializers with a weight's integers and scales, which are added to the graph when they are first used. */
function weightValues(g: GraphBuilder, name: string, { numbers, scales, kind }: FrozenIntegers, shape: number[]) {
  const made = (key: string) => g.initializers.find((value) => value.name === key);
  return {
    numbers: made(`${name}/integers`) ?? g.initializer(`${name}/integers`, numbers, shape, kind),
    scales: made(`${name}/scales`) ?? g.initializer(`${name}/scales`, scales, [shape[1]]),
  };
}
