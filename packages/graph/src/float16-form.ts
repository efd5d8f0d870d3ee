// The same graph in half precision: activations and products in float16, what float16 cannot hold in float32. Inputs, outputs
// and gradients keep their types, so models and gradient rules know nothing of it.
//
//     products, activations, attention, normalization      float16 (the statistics of a normalization are float32 in its kernel)
//     sums and means, exp, log, roots, quotients, squares   float32, and so is what is worked out from them
//     from `inFloat32` on: logits, losses                   float32
//     everything else                                       the widest of its operands
//
// Source: Micikevicius et al. 2018, arXiv:1710.03740, section 3, and the operator lists of PyTorch's autocast. Differs from
// them: ONNX Runtime's WebGPU kernels (1.30) add up float16 products in float16, so the long sums are products in float32.
import { GraphBuilder } from './builder.js';
import { onnxTypeCodes, type DataType } from './dtype.js';
import { toFloat16 } from './float16.js';
import type { Graph } from './graph.js';
import { inScopeOf } from './node-scope.js';
import type { GraphNode, Value } from './value.js';

/** What graphs calculate in. 'float16': weights and activations, on WebGPU; master weights and moments are float32 even then. */
export type Precision = 'float32' | 'float16';

const products: ReadonlySet<string> = new Set(['MatMul', 'FusedMatMul', 'Gemm']);

/** Results grow, or lose too much, beyond float16's 11 bits and 65,504. */
const wideOperators: ReadonlySet<string> = new Set([
  ...['Exp', 'Log', 'LogSoftmax', 'Sqrt', 'Reciprocal', 'Pow', 'Div', 'Erf', 'Softplus', 'Sin', 'Cos'],
  ...['ReduceSum', 'ReduceMean', 'ReduceMax', 'ReduceMin', 'ReduceSumSquare', 'ReduceLogSumExp', 'CumSum'],
  ...['ScatterElements', 'OneHot', 'MatMulNBits', 'DequantizeLinear'],
]);

/** Numbers that a float16 product may add up: a model's widths; not a vocabulary, nor the rows of a batch. */
const LONGEST_SUM = 16_384;

/** What a constant beyond float16's range becomes. Such numbers stand for "far below any score"; a score added must stay finite. */
const FAR = 32_768;

/** A graph with the same inputs and outputs that calculates in float16 where that is right. */
export function float16Form(graph: Graph): Graph {
  const g = new GraphBuilder(graph.name);
  const values = new PreciseValues(g);
  for (const [name, value] of graph.inputs) values.keep(value, g.input(name, value.dtype, value.shape));
  for (const value of graph.initializers)
    values.keep(value, g.initializer(value.name, value.data!, value.shape as number[], value.dtype));
  for (const node of graph.nodes) values.addNode(node);
  for (const [name, value] of graph.outputs) g.output(name, values.as(value, value.dtype));
  return g;
}

/**
 * Values of the old graph → values of the new one, in one float type or both. A value that follows from inputs and constants
 * alone (a parameter's rows, a mask) has no precision of its own: it is made in the type that is asked for, when it is.
 */
class PreciseValues {
  readonly #made = new Map<Value, Map<DataType, Value>>();
  readonly #precisions = new Map<Value, Precision>();

  constructor(private readonly g: GraphBuilder) {}

  keep(old: Value, made: Value): void {
    const forms = this.#made.get(old) ?? new Map<DataType, Value>();
    this.#made.set(old, forms);
    if (!forms.has(made.dtype)) forms.set(made.dtype, made);
  }

  /** The value in this type. */
  as(old: Value, dtype: DataType): Value {
    const known = this.#made.get(old)?.get(dtype);
    if (known) return known;
    this.keep(old, this.#derive(old, dtype));
    return this.#made.get(old)!.get(dtype)!;
  }

  addNode(node: GraphNode): void {
    const [x, y] = [node.inputs[0], node.outputs[0]!];
    if (node.attributes._float32) {
      this.keep(y, this.as(x!, 'float32'));
      this.#precisions.set(y, 'float32');
    } else if (node.op.opType === 'Cast' && x!.dtype === 'float16' && y.dtype === 'float32') {
      this.keep(y, this.as(x!, 'float16'));
      this.#precisions.set(y, 'float16');
    } else if (node.op.opType === 'Cast' && x!.dtype === 'float32' && y.dtype === 'float16') {
      this.keep(y, this.as(x!, 'float16'));
    } else {
      const precision = this.#precisionOf(node);
      const isFree = precision === undefined && node.outputs.every(({ dtype }) => dtype === 'float32');
      if (!isFree) this.#build(node, isWide(node) ? 'float32' : (precision ?? 'float32'));
      // Further outputs are statistics of a normalization, float32 whatever its operands, or pieces of one operand.
      const others = node.op.opType === 'LayerNormalization' ? 'float32' : precision;
      node.outputs.forEach((output, i) => precision && this.#precisions.set(output, i === 0 ? precision : others!));
    }
  }

  /** What the result counts as; undefined where no operand decides it. */
  #precisionOf(node: GraphNode): Precision | undefined {
    if (products.has(node.op.opType)) return isShortSum(node) ? 'float16' : 'float32';
    if (node.op.opType === 'MatMulNBits') return 'float16';
    const operands = new Set(node.inputs.map((value) => value && this.#precisions.get(value)));
    if (operands.has('float32')) return 'float32';
    if (!operands.has('float16')) return undefined;
    return isWide(node) ? 'float32' : 'float16';
  }

  #derive(old: Value, dtype: DataType): Value {
    const { g } = this;
    const { node } = old;
    if (old.kind === 'initializer') return this.#halfConstant(old);
    if (node && !this.#precisions.has(old)) {
      const type = dtype === 'float16' && !isWide(node) ? 'float16' : 'float32';
      this.#build(node, type);
    }
    const forms = this.#made.get(old)!;
    return forms.get(dtype) ?? g.cast(forms.values().next().value!, dtype);
  }

  #halfConstant({ name, data, shape }: Value): Value {
    const numbers = Float32Array.from(data as Float32Array, (x) => Math.max(-FAR, Math.min(FAR, x)));
    const half = toFloat16(numbers);
    // Small equal constants are shared, large ones have a name of their own.
    return half.length > 64
      ? this.g.initializer(`${name}/float16`, half, shape as number[], 'float16')
      : this.g.constant(half, shape as number[], 'float16');
  }

  /** The node once more, its float operands and results in this type. */
  #build(node: GraphNode, type: Precision): void {
    const { op, inputs, outputs } = node;
    const operands = inputs.map((value) => value && this.as(value, value.dtype === 'float32' ? type : value.dtype));
    const isCast = op.opType === 'Cast' && outputs[0]!.dtype === 'float32';
    const attributes = isCast ? { ...node.attributes, to: onnxTypeCodes[type] } : node.attributes;
    const shapes = outputs.map(({ shape }) => shape);
    const results = inScopeOf(this.g, node, () => this.g.apply(op, operands, attributes, shapes));
    outputs.forEach((output, i) => this.keep(output, results[i]!));
  }
}

/** A square overflows from 256 on: it is as wide as a sum. */
const isWide = ({ op, inputs }: GraphNode): boolean =>
  wideOperators.has(op.opType) || (op.opType === 'Mul' && inputs[0] === inputs[1]);

/** Products of matrices that run over a batch's rows or a vocabulary are long; those of attention, [batch, heads, …], are not. */
function isShortSum({ inputs: [a, b], attributes }: GraphNode): boolean {
  const inner = a!.dim(attributes.transA ? -2 : -1);
  return typeof inner === 'number' ? inner <= LONGEST_SUM : a!.rank > 2 && b!.rank > 2;
}
