// Rewrites a graph to half precision: activations and products in float16, and in float32 the values that float16 cannot represent.
// Inputs, outputs and gradients keep their types, so models and gradient rules do not depend on the precision.
//
//     products, activations, attention, normalization       float16 (the statistics of a normalization are float32 in its kernel)
//     sums and means, exp, log, roots, quotients, squares   float32, and so is what is computed from them
//     from `inFloat32` on: logits, losses                   float32
//     everything else                                       the widest type of its operands
//
// Each operator's definition names one of these rows by its property `float16`.
//
// Source: Micikevicius et al. 2018, arXiv:1710.03740, section 3, and the operator lists of PyTorch's autocast. Differs from them: ONNX
// Runtime's WebGPU kernels (1.30) accumulate float16 products in float16, so products with long sums are in float32.
import { onnxTypeCodes, type DataType, type Precision } from './dtype.js';
import { toFloat16 } from './float16.js';
import type { Graph } from './graph.js';
import type { Float16Form, GraphNode, Value } from './ir.js';
import { GraphRewrite } from './rewrite-graph.js';

/** Replaces constants beyond float16's range, which mean "far below any attention score"; its sum with a score must be finite. */
const FAR = 32_768;

/** Returns a graph with the same inputs and outputs that computes in float16 where that is accurate enough. */
export const float16Form = (graph: Graph): Graph => new Float16Graph(graph).rewrite();

/** Returns the float16 form of a node (one of the table's rows), which may depend on more than its operator. */
function formOf(node: GraphNode): Exclude<Float16Form, (node: GraphNode) => Float16Form> {
  let form = node.op.float16 ?? 'operands';
  while (typeof form === 'function') form = form(node);
  return form;
}

/** Rewrites the graph. Values computed from inputs and constants alone (masks) have the type of the node that reads them. */
class Float16Graph extends GraphRewrite {
  readonly #precisions = new Map<Value, Precision>();

  protected addNode(node: GraphNode): void {
    const [x, y] = [node.inputs[0], node.outputs[0]!];
    const isCast = formOf(node) === 'cast';
    if (node.attributes._float32) {
      this.keep(y, this.as(x!, 'float32'));
      this.#precisions.set(y, 'float32');
    } else if (isCast && x!.dtype === 'float16' && y.dtype === 'float32') {
      this.keep(y, this.as(x!, 'float16'));
      this.#precisions.set(y, 'float16');
    } else if (isCast && x!.dtype === 'float32' && y.dtype === 'float16') {
      this.keep(y, this.as(x!, 'float16'));
    } else {
      const precision = this.#precisionOf(node);
      const isFree = precision === undefined && node.outputs.every(({ dtype }) => dtype === 'float32');
      if (!isFree) this.#build(node, computesIn(node, precision ?? 'float32'));
      if (precision) this.#notePrecision(node, precision);
    }
  }

  /** Records the precision of a node's outputs. Outputs that are always float32 (the statistics of a normalization) stay float32. */
  #notePrecision({ outputs }: GraphNode, precision: Precision): void {
    outputs.forEach((output, i) => {
      const isFloat32 = i > 0 && this.made(output, 'float32') !== undefined;
      this.#precisions.set(output, isFloat32 ? 'float32' : precision);
    });
  }

  /** Returns the precision of a node's result; undefined if no operand determines it. */
  #precisionOf(node: GraphNode): Precision | undefined {
    const form = formOf(node);
    if (typeof form === 'object') return form.result;
    const operands = new Set(node.inputs.map((value) => value && this.#precisions.get(value)));
    if (operands.has('float32')) return 'float32';
    if (!operands.has('float16')) return undefined;
    return form === 'float32' ? 'float32' : 'float16';
  }

  protected convert(old: Value, dtype: DataType): Value {
    const { node } = old;
    if (old.kind === 'initializer') return this.#halfConstant(old);
    if (node && !this.#precisions.has(old))
      this.#build(node, computesIn(node, dtype === 'float16' ? 'float16' : 'float32'));
    return this.made(old, dtype) ?? this.g.cast(this.madeFirst(old), dtype);
  }

  #halfConstant({ name, data, shape }: Value): Value {
    const numbers = Float32Array.from(data as Float32Array, (x) => Math.max(-FAR, Math.min(FAR, x)));
    const half = toFloat16(numbers);
    // A small constant is added unnamed, so that equal ones are shared; a large one becomes a named initializer.
    return half.length > 64
      ? this.g.initializer(`${name}/float16`, half, shape as number[], 'float16')
      : this.g.constant(half, shape as number[], 'float16');
  }

  /** Adds the node to the new graph, with its float operands and results in this type. */
  #build(node: GraphNode, type: Precision): void {
    const { op, inputs, outputs } = node;
    const operands = inputs.map((value) => value && this.as(value, value.dtype === 'float32' ? type : value.dtype));
    const isCast = formOf(node) === 'cast' && outputs[0]!.dtype === 'float32';
    const attributes = isCast ? { ...node.attributes, to: onnxTypeCodes[type] } : node.attributes;
    const shapes = outputs.map(({ shape }) => shape);
    const results = this.inScopeOf(node, () => this.g.apply(op, operands, attributes, shapes));
    outputs.forEach((output, i) => this.keep(output, results[i]!));
  }
}

/** Returns the type in which a node's kernel computes if its operands have this precision. */
function computesIn(node: GraphNode, precision: Precision): Precision {
  const form = formOf(node);
  if (typeof form === 'object') return form.computes;
  return form === 'float32' ? 'float32' : precision;
}
