// Serializes a graph to the bytes of an ONNX model. Nodes on which no output depends are left out.
import { protobuf } from '@bowyer/core';
import { arrayTypes, onnxTypeCodes, type DataType, type TensorArray } from './dtype.js';
import type { Graph } from './graph.js';
import { accumulatorName, NO_COPY_OUTPUT, outputName } from './output-name.js';
import type { GraphNode, Value } from './ir.js';
import { attributeTypes, EXTERNAL, onnx, type OnnxModel } from './onnx-messages.js';
import { tableSums } from './table-sums.js';

/** OPSET is ONNX's version of operators (Gelu needs 20, blocked DequantizeLinear 21), IR_VERSION that of the file format. */
const OPSET = 21;
const IR_VERSION = 10;

interface SerializeOptions {
  /** The least size in bytes of an initializer that is in `externalData` instead of the model: no copy, and no limit of 2 GB. */
  externalBytes?: number;
  /** Returns the path of an initializer's file. If given, initializers outside the model are in files, not in `externalData`. */
  fileOf?: (data: Uint8Array) => string;
  /** Outputs that become `accumulator + value`, with the accumulator as an additional input (see output-name.ts). */
  accumulate?: ReadonlySet<string>;
  /** Inputs that become initializers outside the model; their path is the input's name. */
  constants?: ReadonlySet<string>;
  /** Returns an output's name in the model. If not given, it has a prefix, so that it may equal an input's name. */
  nameOfOutput?: (name: string) => string;
  /** Whether to add the output that prevents onnxruntime-node from copying results (see output-name.ts). */
  noCopy?: boolean;
}

export interface SerializedModel {
  bytes: Uint8Array;
  /** The elements of the initializers outside the model, which refers to them by `path`; the arrays are not copies. */
  externalData: { path: string; data: Uint8Array }[];
}

/** Returns the bytes of the graph's ONNX ModelProto. */
export function serialize(graph: Graph): Uint8Array {
  return serializeModel(graph).bytes;
}

export function serializeModel(graph: Graph, options: SerializeOptions = {}): SerializedModel {
  const { model, externalData } = modelMessage(graph, options);
  return { bytes: protobuf.encode(onnx.model, model), externalData };
}

/** Returns the model as a ModelProto message that is not encoded yet. */
export function modelMessage(
  graph: Graph,
  {
    externalBytes = Infinity,
    accumulate = new Set(),
    constants = new Set(),
    noCopy = false,
    nameOfOutput = outputName,
    fileOf,
  }: SerializeOptions = {},
): { model: OnnxModel; externalData: SerializedModel['externalData'] } {
  if (graph.outputs.size === 0)
    throw new Error(`graph '${graph.name}' has no outputs; name one with g.output('name', value)`);
  const tables = tableSums(graph, accumulate);
  const { nodes, used } = reachable(graph, new Set([...tables.values()].map(({ zeros }) => zeros)));
  const names = onnxNames(graph, accumulate, nameOfOutput);
  for (const [name, { zeros, sum }] of tables) {
    names.set(zeros, accumulatorName(name));
    names.set(sum, nameOfOutput(name));
  }
  const sums = [...graph.outputs].filter(([name]) => accumulate.has(name));
  const externalData: SerializedModel['externalData'] = [];
  const tensorProto = (value: Value) => {
    const common = { name: value.name, dims: value.shape as number[], dataType: onnxTypeCodes[value.dtype] };
    if (value.stored) return { ...common, ...elsewhere(value.stored.file, value.stored.byteLength) };
    const raw = rawBytes(value.data!);
    if (raw.byteLength < externalBytes) return { ...common, rawData: raw };
    if (fileOf) return { ...common, ...elsewhere(fileOf(raw), raw.byteLength) };
    const path = `external_${externalData.length}`;
    externalData.push({ path, data: raw });
    return { ...common, ...elsewhere(path, raw.byteLength) };
  };
  const inputs = [...graph.inputs.values()];
  const model = {
    irVersion: IR_VERSION,
    producerName: 'bowyer',
    opsetImport: [
      { domain: '', version: OPSET },
      { domain: 'com.microsoft', version: 1 },
    ],
    graph: {
      name: graph.name,
      input: [
        ...inputs.filter(({ name }) => !constants.has(name)).map((value) => valueInfo(value.name, value)),
        ...sums.map(([name, value]) => valueInfo(accumulatorName(name), value)),
      ],
      initializer: [
        ...graph.initializers.filter((value) => used.has(value)).map(tensorProto),
        ...inputs.filter((value) => constants.has(value.name) && used.has(value)).map(constantProto),
        ...(noCopy ? [noCopyConstant] : []),
      ],
      node: [
        ...nodes.map((node) => nodeProto(node, names)),
        ...outputCopies(graph, names, accumulate, nameOfOutput),
        ...(noCopy ? [noCopyNode] : []),
      ],
      // Sizes are declared because ONNX Runtime does not infer every symbolic size, and computes in place only if it knows that sizes
      // are equal.
      valueInfo: nodes.flatMap(({ outputs }) =>
        outputs.filter((value) => used.has(value) && !names.has(value)).map((value) => valueInfo(value.name, value)),
      ),
      output: [
        ...(noCopy ? [noCopyInfo] : []),
        ...[...graph.outputs].map(([name, value]) => valueInfo(nameOfOutput(name), value)),
      ],
    },
  };
  return { model, externalData };
}

/** Describes where the elements of a tensor outside the model are: the path, the offset and the number of bytes. */
export function elsewhere(path: string, bytes: number, offset = 0) {
  const entries = { location: path, offset: String(offset), length: String(bytes) };
  return {
    dataLocation: EXTERNAL,
    externalData: Object.entries(entries).map(([key, text]) => ({ key, value: text })),
  };
}

/** Serializes an input that becomes an initializer when the session is created; its size must be fixed. */
function constantProto({ name, dtype, shape }: Value) {
  const size = shape.reduce<number>((product, dim) => product * (typeof dim === 'number' ? dim : NaN), 1);
  if (!(size > 0)) throw new Error(`constant '${name}': ${dtype} [${shape.join(', ')}] must be of fixed size`);
  const bytes = size * arrayTypes[dtype].BYTES_PER_ELEMENT;
  return { name, dims: shape as number[], dataType: onnxTypeCodes[dtype], ...elsewhere(name, bytes) };
}

/** Finds the nodes and values on which the outputs depend. The search stops at `given` values, known without their nodes. */
function reachable(graph: Graph, given: ReadonlySet<Value>): { nodes: GraphNode[]; used: Set<Value> } {
  const used = new Set(graph.outputs.values());
  const nodes: GraphNode[] = [];
  for (const node of [...graph.nodes].reverse()) {
    if (!node.outputs.some((output) => used.has(output) && !given.has(output))) continue;
    nodes.push(node);
    for (const input of operands(node)) if (input) used.add(input);
  }
  return { nodes: nodes.reverse(), used };
}

/** Returns the inputs of the node in the ONNX model, without those that only the gradient rule reads. */
const operands = ({ op, inputs }: GraphNode) => inputs.slice(0, op.operands);

/** Names each value in the model. A node's result that is an output of the graph gets the output's name. */
function onnxNames(
  graph: Graph,
  accumulate: ReadonlySet<string>,
  nameOfOutput: (name: string) => string,
): Map<Value, string> {
  const names = new Map<Value, string>();
  for (const [name, value] of graph.outputs) {
    if (value.kind === 'node' && !names.has(value) && !accumulate.has(name)) names.set(value, nameOfOutput(name));
  }
  return names;
}

/** Makes additions for accumulated outputs, and copies for outputs that are inputs, initializers or second names. */
function outputCopies(
  graph: Graph,
  names: ReadonlyMap<Value, string>,
  accumulate: ReadonlySet<string>,
  nameOfOutput: (name: string) => string,
) {
  return [...graph.outputs]
    .filter(([name, value]) => names.get(value) !== nameOfOutput(name))
    .map(([name, value]) => {
      const source = names.get(value) ?? value.name;
      const common = { name: `output/${name}`, output: [nameOfOutput(name)] };
      return accumulate.has(name)
        ? { ...common, opType: 'Add', input: [accumulatorName(name), source] }
        : { ...common, opType: 'Identity', input: [source] };
    });
}

const noCopyConstant = { name: `${NO_COPY_OUTPUT}_element`, dims: [], dataType: onnxTypeCodes.float32, floatData: [0] };

const noCopyNode = {
  opType: 'SequenceConstruct',
  name: NO_COPY_OUTPUT,
  input: [noCopyConstant.name],
  output: [NO_COPY_OUTPUT],
};

const noCopyInfo = {
  name: NO_COPY_OUTPUT,
  type: { sequenceType: { elemType: { tensorType: { elemType: onnxTypeCodes.float32, shape: { dim: [] } } } } },
};

function nodeProto(node: GraphNode, names: ReadonlyMap<Value, string>) {
  const { op, name, outputs, attributes } = node;
  const listed = Object.entries(attributes).filter(([key]) => !key.startsWith('_'));
  return {
    opType: op.opType,
    domain: op.domain,
    name,
    input: operands(node).map((value) => (value ? (names.get(value) ?? value.name) : '')),
    output: outputs.map((value) => names.get(value) ?? value.name),
    attribute: [
      ...listed.map(([key, value]) => attributeProto(key, value, op.floatAttributes.includes(key))),
      ...(op.body ? [{ name: 'body', type: attributeTypes.GRAPH, g: op.body(node) }] : []),
    ],
  };
}

function attributeProto(name: string, value: number | string | readonly number[], isFloat: boolean) {
  if (typeof value === 'string') return { name, type: attributeTypes.STRING, s: Buffer.from(value) };
  if (typeof value === 'number')
    return isFloat ? { name, type: attributeTypes.FLOAT, f: value } : { name, type: attributeTypes.INT, i: value };
  return isFloat
    ? { name, type: attributeTypes.FLOATS, floats: [...value] }
    : { name, type: attributeTypes.INTS, ints: [...value] };
}

function valueInfo(name: string, value: Value) {
  return { name, type: { tensorType: { elemType: onnxTypeCodes[value.dtype], shape: shapeProto(value) } } };
}

/** Describes a value's sizes. In a part of the graph, symbols get a suffix, so that parts share no buffers (`Graph.apart`). */
function shapeProto({ shape, node }: Value) {
  const suffix = node && node.part > 0 ? `, part ${node.part}` : '';
  return { dim: shape.map((dim) => (typeof dim === 'number' ? { dimValue: dim } : { dimParam: `${dim}${suffix}` })) };
}

const rawBytes = (data: TensorArray) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** Makes a model that copies x to y, of any shape, with which tensors are moved to a GPU and back. */
export function copyModel(dtype: DataType): Uint8Array {
  const info = (name: string) => ({ name, type: { tensorType: { elemType: onnxTypeCodes[dtype] } } });
  const node = { opType: 'Identity', input: ['x'], output: ['y'] };
  const graph = { name: 'copy', input: [info('x')], node: [node], output: [info('y')] };
  return protobuf.encode(onnx.model, {
    irVersion: IR_VERSION,
    opsetImport: [{ domain: '', version: OPSET }],
    graph,
  });
}
