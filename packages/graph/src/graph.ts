// Represents a graph of tensor operations: inputs, initializers, nodes, outputs. It does not depend on operators: `builder.ts`
// adds one method for each. Equal nodes are created once (common subexpressions), and small constants with equal elements are one
// initializer.
import { canonicalShape, formatShape, type Dim, type Shape } from './dims.js';
import { arrayClass, dataTypeOf, toTensorArray, type DataType, type TensorArray } from './dtype.js';
import { GraphBuildError, describeValue } from './errors.js';
import { StoredTensor, type FrozenData } from './stored-tensor.js';
import { Value, type Attributes, type GraphNode, type Op } from './ir.js';

/** The largest number of elements of a constant that is shared with equal ones. */
const SHARED_CONSTANT_SIZE = 64;

/** A division of a dimension into pieces, whose int64 sizes [pieces] are known only at run time; their sum is the dimension. */
interface Partition {
  total: Dim;
  sizes: Value;
}

export class Graph {
  readonly inputs = new Map<string, Value>();
  readonly initializers: Value[] = [];
  readonly nodes: GraphNode[] = [];
  readonly outputs = new Map<string, Value>();
  /** For each symbol, a value and its axis from which the symbol's size can be read. */
  readonly #symbolSources = new Map<string, { value: Value; axis: number }>();
  /** The divisions of dimensions into pieces, by the list of the symbols for the pieces' sizes. */
  readonly #partitions = new Map<string, Partition>();
  readonly #names = new Set<string>();
  readonly #counters = new Map<string, number>();
  readonly #existing = new Map<string, GraphNode>();
  readonly #constants = new Map<string, Value>();
  readonly #ids = new Map<Value, number>();
  #scope = '';
  #part = 0;
  #parts = 0;

  constructor(readonly name: string) {}

  /** Declares a tensor that each run receives: data, or a trainable parameter (any value by which gradients may be computed). */
  input(name: string, dtype: DataType, shape: Shape): Value {
    const value = new Value(this.#claim(name), dtype, canonicalShape(shape), 'input');
    this.inputs.set(name, value);
    this.#noteSymbols(value);
    return value;
  }

  /** Stores a frozen tensor in the model; ONNX Runtime prepares it for fast products. `data` is not copied: do not change it. */
  initializer(name: string, data: FrozenData, shape: readonly number[], dtype: DataType = inferDataType(data)): Value {
    const size = shape.reduce((product, dim) => product * dim, 1);
    const elements = dtype === 'int4' || dtype === 'uint4' ? Math.ceil(size / 2) : size;
    if (data.length !== elements) {
      throw new RangeError(
        `initializer '${name}': ${data.length} elements given, shape ${formatShape(shape)} of ${dtype} needs ${elements}`,
      );
    }
    const [array, stored] = data instanceof StoredTensor ? [undefined, data] : [data, undefined];
    const value = new Value(this.#claim(name), dtype, [...shape], 'initializer', undefined, array, stored);
    this.initializers.push(value);
    return value;
  }

  /** Adds an unnamed constant. Small equal ones are shared. */
  constant(data: TensorArray | readonly number[], shape: readonly number[], dtype?: DataType): Value {
    const type = dtype ?? (Array.isArray(data) ? 'float32' : inferDataType(data as TensorArray));
    const array = toTensorArray(data as TensorArray, type);
    if (array.length > SHARED_CONSTANT_SIZE) return this.initializer(this.#fresh('constant'), array, shape, type);
    const key = `${type}[${shape.join()}]${array.join()}`;
    let value = this.#constants.get(key);
    if (!value) {
      value = this.initializer(this.#fresh('constant'), array, shape, type);
      this.#constants.set(key, value);
    }
    return value;
  }

  scalar(x: number, dtype: DataType = 'float32'): Value {
    return this.constant([x], [], dtype);
  }

  /** Adds a 1-D int64 constant: ONNX's type for axes, sizes and shapes. */
  int64s(xs: readonly number[]): Value {
    return this.constant(BigInt64Array.from(xs, BigInt), [xs.length], 'int64');
  }

  /** Names a value as an output of the graph. One value may have several output names. */
  output(name: string, value: Value): void {
    if (this.outputs.has(name))
      throw new Error(`graph '${this.name}': output '${name}' is already ${describeValue(this.outputs.get(name)!)}`);
    this.outputs.set(name, value);
  }

  /** Copies the graph as it is now, so that later additions do not change the copy. */
  snapshot(): Graph {
    const copy = new Graph(this.name);
    for (const [name, value] of this.inputs) copy.inputs.set(name, value);
    for (const [name, value] of this.outputs) copy.outputs.set(name, value);
    for (const value of this.initializers) copy.initializers.push(value);
    for (const node of this.nodes) copy.nodes.push(node);
    return copy;
  }

  /** Prefixes the names of all nodes made inside `build` with `name/`, which error messages and profiles show. */
  scope<T>(name: string, build: () => T): T {
    const outer = this.#scope;
    this.#scope = `${outer}${name}/`;
    try {
      return build();
    } finally {
      this.#scope = outer;
    }
  }

  /** Returns the number of the part of the graph (see `apart`) to which nodes are being added; 0 outside of parts. */
  get part(): number {
    return this.#part;
  }

  /**
   * Marks all nodes made inside `build` as a part of the graph whose buffers ONNX Runtime does not share with other parts. It
   * plans one buffer for values of equal symbolic size whose lifetimes do not overlap, and keeps the buffer until the last of
   * them ends: if each layer computed its rows in chunks of different sizes, the buffers of all chunks would be kept. So the
   * model declares the sizes of a part with symbols of its own, and a node equal to one of another part is made again.
   *
   * @param part the number of the part to which `build` adds; a new part if omitted
   */
  apart<T>(build: () => T, part: number = ++this.#parts): T {
    const outer = this.#part;
    this.#part = part;
    try {
      return build();
    } finally {
      this.#part = outer;
    }
  }

  /**
   * Applies an operator. Shapes are inferred and checked here, so that an error is thrown at the line that contains the mistake.
   *
   * @param shapes replaces the inferred output shapes if they depend on tensor contents (Reshape, Expand, …)
   */
  apply(
    op: Op,
    inputs: readonly (Value | undefined)[],
    attributes: Attributes = {},
    shapes?: readonly Shape[],
  ): Value[] {
    const key = this.#keyOf(op, inputs, attributes);
    const existing = this.#existing.get(key);
    if (existing) return existing.outputs;
    const types = op.infer({
      inputs: inputs as readonly Value[],
      attributes,
      fail: (problem) => {
        throw new GraphBuildError(`${op.opType} in '${this.name}' at '${this.#scope}'`, inputs, problem);
      },
    });
    const node: GraphNode = {
      name: this.#claim(this.#fresh(op.opType)),
      op,
      inputs,
      outputs: [],
      attributes,
      part: this.#part,
    };
    types.forEach(({ dtype, shape }, i) => {
      const name = i === 0 ? node.name : `${node.name}:${i}`;
      const value = new Value(name, dtype, canonicalShape(shapes?.[i] ?? shape), 'node', node);
      this.#noteSymbols(value);
      node.outputs.push(value);
    });
    this.nodes.push(node);
    this.#existing.set(key, node);
    return node.outputs;
  }

  /** Creates a unique symbol for a size that depends on the contents of tensors and is known only at run time. */
  freshSymbol(prefix: string): Dim {
    return this.#claim(this.#fresh(prefix, ''));
  }

  protected notePartition(dims: readonly Dim[], partition: Partition): void {
    this.#partitions.set(dims.join(), partition);
  }

  protected partitionOf(dims: readonly Dim[]): Partition | undefined {
    return this.#partitions.get(dims.join());
  }

  /** Returns a value and its axis from which the size of a symbol can be read. */
  protected symbolSource(symbol: string): { value: Value; axis: number } {
    const source = this.#symbolSources.get(symbol);
    if (!source)
      throw new Error(
        `graph '${this.name}': no tensor has the dimension '${symbol}'; declare an input with it before using it`,
      );
    return source;
  }

  #noteSymbols(value: Value): void {
    value.shape.forEach((dim, axis) => {
      if (typeof dim === 'string' && /^[\w.]+$/.test(dim) && !this.#symbolSources.has(dim))
        this.#symbolSources.set(dim, { value, axis });
    });
  }

  #keyOf(op: Op, inputs: readonly (Value | undefined)[], attributes: Attributes): string {
    const ids = inputs.map((value) => (value ? this.#idOf(value) : -1));
    return `${this.#part} ${op.domain}.${op.opType}(${ids.join()})${JSON.stringify(attributes)}`;
  }

  #idOf(value: Value): number {
    let id = this.#ids.get(value);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(value, id);
    }
    return id;
  }

  #fresh(base: string, scope = this.#scope): string {
    const path = scope + base;
    let count = this.#counters.get(path) ?? 0;
    let name: string;
    do name = `${path}_${++count}`;
    while (this.#names.has(name));
    this.#counters.set(path, count);
    return name;
  }

  #claim(name: string): string {
    if (this.#names.has(name))
      throw new Error(
        `graph '${this.name}': the name '${name}' is taken; inputs, initializers and nodes need distinct names`,
      );
    this.#names.add(name);
    return name;
  }
}

/** Infers the type of an initializer. The type of a Uint8Array or Uint16Array is ambiguous and must be given. */
function inferDataType(data: FrozenData): DataType {
  if (data instanceof StoredTensor) throw new TypeError(`an initializer in a file needs an explicit element type`);
  const dtype = dataTypeOf(data);
  if (dtype === 'uint8' || dtype === 'uint16')
    throw new TypeError(
      `an initializer of ${arrayClass(data)} needs an explicit element type: bool, uint8, float16, …`,
    );
  return dtype;
}
