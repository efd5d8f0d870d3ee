// The same graph in the operators and types that ONNX Runtime's WebGPU provider has (1.30). What it lacks would run on the
// processor, its operands brought down and its result up again at every call: FusedMatMul, so half of a training step's
// products, and all arithmetic in int64. Places and ids are therefore int32 here: whatever is worked out from a range or from
// an int32 tensor. Shape arithmetic stays on the processor, where ONNX Runtime wants it.
import { GraphBuilder } from './builder.js';
import type { Graph } from './graph.js';
import { inScopeOf } from './node-scope.js';
import type { GraphNode, Value } from './value.js';
import { plainArgMax, ValueMap } from './webgpu-indices.js';

/** Operands that may as well be int32: indices, and whatever is only moved. */
const movedOperand: Readonly<Record<string, number>> = {
  ...{ Gather: 1, GatherElements: 1, ScatterElements: 1 },
  ...{ Reshape: 0, Expand: 0, Squeeze: 0, Unsqueeze: 0, Transpose: 0, Slice: 0 },
};

/** What the provider calculates in int32 as well, all operands being so. */
const arithmetic: ReadonlySet<string> = new Set([
  ...['Add', 'Sub', 'Mul', 'Div', 'Where', 'Concat'],
  ...['Equal', 'Less', 'LessOrEqual', 'Greater', 'GreaterOrEqual'],
]);

/** A graph with the same inputs, outputs and results, to be compiled for WebGPU. */
export function webgpuForm(graph: Graph): Graph {
  const g = new GraphBuilder(graph.name);
  const made = new ValueMap(g);
  for (const [name, value] of graph.inputs) made.set(value, g.input(name, value.dtype, value.shape));
  for (const value of graph.initializers)
    made.set(value, g.initializer(value.name, value.data!, value.shape as number[], value.dtype));
  for (const node of graph.nodes) inScopeOf(g, node, () => addNode(g, node, made));
  for (const [name, value] of graph.outputs) g.output(name, made.get(value));
  return g;
}

function addNode(g: GraphBuilder, node: GraphNode, made: ValueMap): void {
  const { op, inputs, outputs, attributes } = node;
  const [first, result] = [inputs[0], outputs[0]!];
  if (op.opType === 'Cast' && first!.dtype === 'int32' && result.dtype === 'int64')
    return made.setNarrow(result, made.get(first!));
  if (op.opType === 'Cast' && first!.dtype === 'int64')
    return made.set(result, g.cast(made.narrowest(first!), result.dtype));
  if (op.opType === 'ArgMax' && typeof first!.dim(attributes.axis as number) === 'number')
    return made.setNarrow(result, plainArgMax(g, made.get(first!), node));
  const isNarrow =
    (op.opType === 'Range' && result.dtype === 'int64') || (arithmetic.has(op.opType) && made.areNarrow(inputs));
  const moved = movedOperand[op.opType];
  const operands = inputs.map((value, i) => {
    if (isNarrow && value?.dtype === 'int64') return made.narrow(value);
    return value && (i === moved ? made.narrowest(value) : made.get(value));
  });
  if (op.opType === 'FusedMatMul') {
    made.set(outputs[0]!, plainProduct(g, operands[0]!, operands[1]!, node));
    return;
  }
  const results = g.apply(
    op,
    operands,
    attributes,
    outputs.map(({ shape }) => shape),
  );
  outputs.forEach((value, i) => {
    if (results[i]!.dtype === value.dtype) made.set(value, results[i]!);
    else made.setNarrow(value, results[i]!);
  });
}

/** α A′B′ without the fused operator: Gemm for matrices, else MatMul of what is transposed and scaled apart. */
function plainProduct(g: GraphBuilder, a: Value, b: Value, { attributes }: GraphNode): Value {
  const [transA, transB] = [attributes.transA === 1, attributes.transB === 1];
  const alpha = attributes.alpha as number;
  if (a.rank === 2 && b.rank === 2) return g.gemm(a, b, undefined, { transA, transB, alpha });
  const left = transA ? g.transpose(a, lastTwoSwapped(a)) : a;
  const right = transB ? g.transpose(b, lastTwoSwapped(b)) : b;
  if (alpha === 1) return g.matMul(left, right);
  // Head sizes are numbers and token counts symbols: the side that has the number is the narrower one.
  const scaleFirst = typeof left.dim(-1) === 'number' && typeof right.dim(-1) !== 'number';
  return scaleFirst ? g.matMul(g.mul(left, alpha), right) : g.mul(g.matMul(left, right), alpha);
}

const lastTwoSwapped = ({ rank }: Value): number[] => [...Array(rank - 2).keys(), rank - 1, rank - 2];
