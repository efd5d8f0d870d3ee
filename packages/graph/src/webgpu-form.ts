// Rewrites a graph to the operators and types that ONNX Runtime's WebGPU provider has (1.30). Others would run on the CPU, with copies
// of operands and results between GPU and CPU in every run: FusedMatMul, half of a training step's products, and all arithmetic in
// int64. Positions and ids are therefore int32 here, that is everything computed from a range or an int32 tensor. Shape arithmetic
// stays on the CPU, as ONNX Runtime intends. Each operator's definition names its form by the property `webgpu`; webgpu-fusions.ts
// replaces nodes that one kernel computes together.
import type { DataType } from './dtype.js';
import type { Graph } from './graph.js';
import type { GraphNode, Value, WebgpuForm } from './ir.js';
import { GraphRewrite } from './rewrite-graph.js';
import { WebgpuFusions } from './webgpu-fusions.js';

/** Returns a graph for WebGPU with the same inputs, outputs and results. */
export const webgpuForm = (graph: Graph): Graph => new WebgpuGraph(graph).rewrite();

const LARGEST_INT32 = 2n ** 31n - 1n;

/** Rewrites the graph. An int64 value may be int32 in the new graph; it is in int64 (too) only if some node needs that. */
class WebgpuGraph extends GraphRewrite {
  readonly #fusions: WebgpuFusions;
  readonly #deferred = new Set<GraphNode>();

  constructor(graph: Graph) {
    super(graph);
    this.#fusions = new WebgpuFusions(graph);
  }

  protected addNode(node: GraphNode): void {
    if (this.#fusions.isDeferred(node)) this.#deferred.add(node);
    else this.inScopeOf(node, () => this.#addNode(node));
  }

  protected convert(old: Value, dtype: DataType): Value {
    if (!old.node || !this.#deferred.delete(old.node)) return this.g.cast(this.made(old, 'int32')!, dtype);
    this.inScopeOf(old.node, () => this.#addNode(old.node!));
    return this.made(old, dtype)!;
  }

  #addNode(node: GraphNode): void {
    const { op, inputs, outputs, attributes } = node;
    const fused = this.#fusions.fused(this.g, node, this.#deferred, (value) => this.as(value, value.dtype));
    if (fused) return fused.forEach(([old, made]) => this.#keepFused(old, made));
    const form = op.webgpu ?? 'same';
    if (form === 'cast') return this.#addCast(node);
    const rewritten = typeof form === 'function' && form(this.g, this.#exact(inputs) as Value[], node);
    if (rewritten) return [rewritten].flat().forEach((value, i) => this.keep(outputs[i]!, value));
    const shapes = outputs.map(({ shape }) => shape);
    const results = this.g.apply(op, this.#operands(node, form), attributes, shapes);
    outputs.forEach((value, i) => this.keep(value, results[i]!));
  }

  #keepFused(old: Value, made: Value): void {
    this.#deferred.delete(old.node!);
    this.keep(old, made);
  }

  /** Adds a cast. One from int32 to int64 is left out, and made only for nodes that need int64. */
  #addCast({ inputs: [x], outputs: [y] }: GraphNode): void {
    if (x!.dtype === 'int32' && y!.dtype === 'int64') this.keep(y!, this.#exact([x])[0]!);
    else this.keep(y!, this.g.cast(this.#smallest(x!), y!.dtype));
  }

  #operands({ inputs, outputs: [y] }: GraphNode, form: WebgpuForm): (Value | undefined)[] {
    const isInt32 =
      (form === 'always int32' && y!.dtype === 'int64') || (form === 'int32' && this.#allHaveInt32(inputs));
    if (isInt32)
      return inputs.map((value) => (value?.dtype === 'int64' ? this.#int32(value) : this.#exact([value])[0]));
    const moved = typeof form === 'object' ? form.int32Operand : undefined;
    return inputs.map((value, i) => (value && i === moved ? this.#smallest(value) : this.#exact([value])[0]));
  }

  /** Returns the forms of values in the new graph that have the types of the old graph. */
  #exact(values: readonly (Value | undefined)[]): (Value | undefined)[] {
    return values.map((value) => value && this.as(value, value.dtype));
  }

  /** Returns the int32 form of a value in the new graph if it has one, otherwise the value in its own type. */
  #smallest(old: Value): Value {
    return this.made(old, 'int32') ?? this.as(old, old.dtype);
  }

  /** Returns the int32 form of a value in the new graph; it is made by a cast if there is none yet. */
  #int32(old: Value): Value {
    const { data, shape } = old;
    const constant = () => this.g.constant(Int32Array.from(data as BigInt64Array, Number), shape as number[], 'int32');
    return this.made(old, 'int32') ?? (data ? constant() : this.g.cast(this.as(old, old.dtype), 'int32'));
  }

  /** Returns whether at least one int64 operand has an int32 form and all the others are constants that fit into int32. */
  #allHaveInt32(operands: readonly (Value | undefined)[]): boolean {
    const long = operands.filter((value) => value?.dtype === 'int64') as Value[];
    return long.some((value) => this.made(value, 'int32')) && long.every((value) => this.#fits(value));
  }

  #fits(value: Value): boolean {
    if (!value.data) return this.made(value, 'int32') !== undefined;
    return (value.data as BigInt64Array).every((x) => x >= -LARGEST_INT32 && x <= LARGEST_INT32);
  }
}
