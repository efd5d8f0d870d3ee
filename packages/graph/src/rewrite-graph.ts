// Rewrites a graph, such as for float16 or WebGPU: makes a new graph with the same inputs, initializers and outputs, and other
// nodes between them. Subclasses choose the nodes.
import { GraphBuilder } from './builder.js';
import type { DataType } from './dtype.js';
import type { Graph } from './graph.js';
import type { GraphNode, Value } from './ir.js';

/** The base class of rewritings. It maps values of the old graph to values of the new one, each in one or several types. */
export abstract class GraphRewrite {
  protected readonly g: GraphBuilder;
  readonly #forms = new Map<Value, Map<DataType, Value>>();

  constructor(private readonly graph: Graph) {
    this.g = new GraphBuilder(graph.name);
  }

  /** Adds to the new graph the nodes that replace a node of the old one. */
  protected abstract addNode(node: GraphNode): void;

  /** Converts a value of the old graph, in the new graph, to a type in which it does not exist there yet. */
  protected abstract convert(old: Value, dtype: DataType): Value;

  rewrite(): GraphBuilder {
    const { g, graph } = this;
    for (const [name, value] of graph.inputs) this.keep(value, g.input(name, value.dtype, value.shape));
    for (const value of graph.initializers)
      this.keep(value, g.initializer(value.name, (value.data ?? value.stored)!, value.shape as number[], value.dtype));
    for (const node of graph.nodes) this.addNode(node);
    for (const [name, value] of graph.outputs) g.output(name, this.as(value, value.dtype));
    return g;
  }

  /** Records a value of the new graph as the form that an old value has in the type of `made`. */
  protected keep(old: Value, made: Value): void {
    const forms = this.#forms.get(old) ?? new Map<DataType, Value>();
    this.#forms.set(old, forms);
    if (!forms.has(made.dtype)) forms.set(made.dtype, made);
  }

  protected made(old: Value, dtype: DataType): Value | undefined {
    return this.#forms.get(old)?.get(dtype);
  }

  /** Returns the old value's form in the new graph, in the type in which it was made first. */
  protected madeFirst(old: Value): Value {
    return this.#forms.get(old)!.values().next().value!;
  }

  /** Returns the old value's form in the new graph in this type, and makes it if necessary. */
  protected as(old: Value, dtype: DataType): Value {
    if (!this.made(old, dtype)) this.keep(old, this.convert(old, dtype));
    return this.made(old, dtype)!;
  }

  /** Runs `build` so that the nodes made in it have the name prefix of `node`, which profiles and error messages show. */
  protected inScopeOf<T>({ name }: GraphNode, build: () => T): T {
    const scope = name.split('/').slice(0, -1).join('/');
    return scope === '' ? build() : this.g.scope(scope, build);
  }
}
