// Converts weights to 8-bit integers with which decoding computes its products, and chooses between signed and unsigned integers.
import { GraphBuilder, type Device, type Program, type State } from '@bowyer/graph';
import type { CausalArchitecture } from '../architecture/architecture.js';
import {
  floatRows,
  integerWeight,
  roundingGraph,
  weightRows,
  type IntegerKind,
  type WeightRows,
} from './integer-weight.js';
import { withNumbers, type QuantizedWeight } from './quantized-weight.js';
import { weightLayouts } from './weight-layouts.js';

/** The weights that a graph reads as integers (see integer-weight.ts). */
export interface IntegerWeights {
  kind: IntegerKind;
  /** The shapes of the weights that are multiplied as integers, by name. */
  shapes: WeightShapes;
}

export type WeightShapes = ReadonlyMap<string, readonly [outputs: number, inputs: number]>;

/** Finds the weights that can be multiplied as integers: those that quantisation to 8 bits includes, and the output head. */
export function integerShapes(architecture: CausalArchitecture): WeightShapes {
  const layout = weightLayouts(architecture, '8bit');
  const taken = architecture.parameters.filter(({ name, shape }) => layout(name, shape) !== undefined);
  return new Map(taken.map(({ name, shape: [outputs, inputs] }) => [name, [outputs, inputs] as const]));
}

/** Returns, for each weight, its quantised form or a reader of the float32 rows of the current parameter. */
export async function integerRows(
  device: Device,
  shapes: WeightShapes,
  { parameters, quantized }: { parameters: State; quantized?: ReadonlyMap<string, QuantizedWeight> },
): Promise<Map<string, QuantizedWeight | WeightRows>> {
  const inFloat32 = [...shapes.keys()].filter((name) => !quantized?.has(name));
  const read = await device.read(parameters, inFloat32);
  return new Map(
    [...shapes].map(([name, shape]) => [
      name,
      quantized?.get(name) ?? floatRows(shape, read[name].data as Float32Array),
    ]),
  );
}

/** Returns the names of the inputs with a weight's integers and scales. */
export const integerNames = (weight: string) => ({ numbers: `${weight}/integers`, scales: `${weight}/integer_scales` });

/**
 * Creates a state with the integers and scales of the weights. When a program is bound, its tensors become constants, which ONNX
 * Runtime repacks; afterwards the state can be released.
 */
export async function integerState(
  device: Device,
  weights: ReadonlyMap<string, QuantizedWeight | WeightRows>,
  kind: IntegerKind,
): Promise<State> {
  const tensors: Record<string, { shape: number[]; data: Int8Array | Uint8Array | Float32Array; dtype?: 'uint8' }> = {};
  const rounding = new Map<number, Program>();
  try {
    for (const [name, weight] of weights) {
      const [outputs, inputs] = weight.shape;
      const program = rounding.get(inputs) ?? (await device.compile(roundingGraph(inputs, kind)));
      rounding.set(inputs, program);
      const make = (rows: WeightRows) => integerWeight(rows, kind, program);
      const { numbers, scales } = await ('fill' in weight
        ? make(weight)
        : withNumbers(weight, (read) => make(weightRows(read))));
      const names = integerNames(name);
      tensors[names.numbers] = { shape: [inputs, outputs], data: numbers, ...(kind === 'uint8' && { dtype: kind }) };
      tensors[names.scales] = { shape: [outputs], data: scales };
    }
    return await device.createState(tensors);
  } finally {
    for (const program of rounding.values()) await program.release();
  }
}

const kinds = new WeakMap<Device, Promise<IntegerKind>>();

/** Finds, by a test product, the kind of integers that this device's CPU multiplies exactly. */
export function integerKind(device: Device): Promise<IntegerKind> {
  let kind = kinds.get(device);
  if (!kind) kinds.set(device, (kind = tryInt8(device)));
  return kind;
}

/**
 * Tests whether signed weights are multiplied exactly. x86 CPUs without VNNI add pairs of products in 16 bits, which overflows in ONNX
 * Runtime's kernels for signed weights, but not in those for unsigned weights. (The session option x64quantprecision would select the
 * slower kernels without a test, but also on CPUs with VNNI, which do not need them.)
 */
async function tryInt8(device: Device): Promise<IntegerKind> {
  const size = 64;
  const g = new GraphBuilder('largest_products');
  const weight = g.initializer('weight', new Int8Array(size * size).fill(127), [size, size]);
  const scales = g.initializer('scales', new Float32Array(size).fill(1), [size]);
  const x = g.input('x', 'uint8', ['rows', size]);
  g.output('y', g.integerMatMul(x, weight, scales, 0));
  const program = await device.compile(g);
  try {
    let exact = true;
    for (const rows of [1, 16]) {
      const { y } = await program.run({
        inputs: { x: { dims: [rows, size], data: new Uint8Array(rows * size).fill(255) } },
      });
      exact &&= (y.data as Float32Array).every((sum) => sum === 255 * 127 * size);
    }
    return exact ? 'int8' : 'uint8';
  } finally {
    await program.release();
  }
}
