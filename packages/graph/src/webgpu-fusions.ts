// Replaces two nodes by one operator of ONNX Runtime's WebGPU provider that computes both in one kernel. Starting a kernel takes longer
// than most kernels of a decoding step.
//
//     s = a + b, norm(s)   SkipLayerNormalization, SkipSimplifiedLayerNormalization: two results
//     x · sigmoid(x)       QuickGelu with α = 1
//     x Wᵀ + b             MatMulNBits with its sixth operand, for a quantized W
//
// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
import { sameShape } from './dims.js';
import type { Graph } from './graph.js';
import type { GraphNode, OperatorMethods, Value } from './ir.js';
import { defineOp, inferSame } from './op.js';

const skipNorm = (opType: string) =>
  defineOp(opType, {
    domain: 'com.microsoft',
    floatAttributes: ['epsilon'],
    // SkipLayerNormalization has four outputs, but the WebGPU provider does not compute the second and third, the statistics.
    infer: (context) => Array.from({ length: 4 }, () => inferSame(context)[0]!),
  });

const skipNorms: ReadonlyMap<string, ReturnType<typeof defineOp>> = new Map(
  ['LayerNormalization', 'SimplifiedLayerNormalization'].map((norm) => [norm, skipNorm(`Skip${norm}`)]),
);

const QuickGelu = defineOp('QuickGelu', { domain: 'com.microsoft', floatAttributes: ['alpha'], infer: inferSame });

/** Finds nodes that can be computed together with the node that reads their result, and makes the fused nodes. */
export class WebgpuFusions {
  readonly #readers = new Map<Value, GraphNode[]>();
  readonly #outputs: ReadonlySet<Value>;

  constructor(graph: Graph) {
    this.#outputs = new Set(graph.outputs.values());
    for (const node of graph.nodes)
      for (const value of new Set(node.inputs)) if (value) this.#readers.set(value, [...this.#readersOf(value), node]);
  }

  /** Returns whether a reader of this node's result may compute it too, fused. If so, it is made by itself only when needed. */
  isDeferred(node: GraphNode): boolean {
    const y = node.outputs[0]!;
    const readers = this.#readersOf(y);
    if (readers.some((reader) => this.#isNormOf(reader, node))) return true;
    const [reader] = readers;
    return (
      readers.length === 1 && !this.#outputs.has(y) && (isSilu(reader!, node) || biasOf(reader!, node) !== undefined)
    );
  }

  /**
   * Makes a fused node that computes this node's result together with that of a deferred node.
   *
   * @param deferred the nodes that were deferred and have not been made since
   * @param made returns the operands in the new graph
   * @returns the results by the values of the old graph; null if the node cannot be fused and is made by itself
   */
  fused(
    g: OperatorMethods,
    node: GraphNode,
    deferred: ReadonlySet<GraphNode>,
    made: (value: Value) => Value,
  ): readonly (readonly [old: Value, made: Value])[] | null {
    const { op, inputs, outputs, attributes } = node;
    const [y] = outputs as [Value];
    for (const { node: producer } of inputs.filter((value) => value !== undefined)) {
      if (!producer || !deferred.has(producer)) continue;
      if (isSilu(node, producer)) return [[y, g.apply(QuickGelu, [made(producer.inputs[0]!)], { alpha: 1 })[0]!]];
      const bias = biasOf(node, producer);
      if (bias) {
        const [x, packed, scales, zeros] = producer.inputs.map((value) => value && made(value));
        return [[y, g.apply(producer.op, [x, packed, scales, zeros, undefined, made(bias)], producer.attributes)[0]!]];
      }
      if (!this.#isNormOf(node, producer)) continue;
      const operands = [...producer.inputs, ...inputs.slice(1)].map((value) => value && made(value));
      const [normed, , , sum] = g.apply(skipNorms.get(op.opType)!, operands, { epsilon: attributes.epsilon! });
      return [
        [producer.outputs[0]!, sum!],
        [y, normed!],
      ];
    }
    return null;
  }

  #readersOf(value: Value): readonly GraphNode[] {
    return this.#readers.get(value) ?? [];
  }

  /** Returns whether a node normalizes the sum that the other node computes, and nothing reads its statistics. */
  #isNormOf(
    { op, inputs: [x], outputs: [, ...statistics] }: GraphNode,
    { op: own, inputs, outputs }: GraphNode,
  ): boolean {
    const y = outputs[0]!;
    return (
      skipNorms.has(op.opType) &&
      own.opType === 'Add' &&
      x === y &&
      y.rank === 2 &&
      inputs.every((value) => sameShape(value!.shape, y.shape)) &&
      statistics.every((value) => this.#readersOf(value).length === 0 && !this.#outputs.has(value))
    );
  }
}

/** Returns the bias vector, if one node adds it to the product with a quantized weight that the other node computes. */
function biasOf({ op, inputs }: GraphNode, { op: own, outputs: [y] }: GraphNode): Value | undefined {
  if (op.opType !== 'Add' || own.opType !== 'MatMulNBits') return undefined;
  return inputs.find((value) => value !== y && value!.rank === 1 && value!.dim(0) === y!.dim(-1));
}

/** Returns whether a node computes x · sigmoid(x) from the other node, which computes sigmoid(x). */
const isSilu = ({ op, inputs }: GraphNode, { op: own, inputs: [x], outputs: [y] }: GraphNode): boolean =>
  op.opType === 'Mul' && own.opType === 'Sigmoid' && inputs.includes(x) && inputs.includes(y);
