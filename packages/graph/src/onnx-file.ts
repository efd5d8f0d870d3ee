// Writes a graph as .onnx files for other programs. Inputs that are weights become initializers. Their elements are read one
// tensor after the other while the file is written, so a model may be larger than memory.
// Source of the format: https://protobuf.dev/programming-guides/encoding/ and onnx.proto of onnx/onnx.
import { protobuf } from '@bowyer/core';
import { arrayTypes, onnxTypeCodes, type DataType } from './dtype.js';
import type { Graph } from './graph.js';
import { onnx, type OnnxModel } from './onnx-messages.js';
import { elsewhere, modelMessage } from './serialize.js';

/** An input of the graph that becomes an initializer in the file. */
export interface FileTensor {
  name: string;
  /** Yields the bytes of the elements in their order, in arrays of any size. */
  pieces: () => AsyncIterable<Uint8Array>;
}

interface OnnxFileOptions {
  /** The name of the model's file, with which the names of its tensor files begin. */
  name: string;
  /** The total size of all tensors, in bytes, from which on they are written to separate files; protobuf is limited to 2 GiB. */
  externalFrom?: number;
  /** The largest size of a tensor file in bytes, unless a single tensor is larger; a browser reads each file into one array. */
  externalFileBytes?: number;
}

export interface OnnxFile {
  name: string;
  bytes: number;
  chunks: () => AsyncIterable<Uint8Array>;
}

const TWO_GB = 2_000_000_000;
/** The size of a memory page in bytes. ONNX Runtime maps tensors into memory from file offsets that are multiples of it. */
const PAGE = 4096;

/** The numbers of those protobuf fields whose headers this file writes itself, so that the contents can follow in pieces. */
const GRAPH = 7; // of ModelProto
const INITIALIZER = 5; // of GraphProto
const RAW_DATA = 9; // of TensorProto

/** A tensor to write, with its type, shape and size. */
interface Placed extends FileTensor {
  dtype: DataType;
  shape: number[];
  bytes: number;
}

/**
 * Lists the files of an ONNX model with its weights.
 *
 * @param tensors inputs of the graph that become initializers; those that no output depends on are left out
 * @returns the model's file, and the tensor files NAME_data, NAME_data_1, … if there are any
 */
export function onnxFiles(graph: Graph, tensors: readonly FileTensor[], options: OnnxFileOptions): OnnxFile[] {
  const { name, externalFrom = TWO_GB, externalFileBytes = TWO_GB } = options;
  const both = [...graph.outputs.keys()].find((output) => graph.inputs.has(output));
  if (both !== undefined) throw new Error(`graph '${graph.name}': '${both}' is the name of an input and of an output`);
  const { model } = modelMessage(graph, {
    constants: new Set(tensors.map((tensor) => tensor.name)),
    nameOfOutput: (output) => output,
  });
  const used = new Set(model.graph.initializer?.map((tensor) => tensor.name));
  const placed = tensors.filter((tensor) => used.has(tensor.name)).map((tensor) => sized(graph, tensor));
  const names = new Set(placed.map((tensor) => tensor.name));
  const others = (model.graph.initializer ?? []).filter((tensor) => !names.has(tensor.name!));
  const total = placed.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total < externalFrom) {
    const inside = { ...model, graph: { ...model.graph, initializer: others } };
    return [modelFile(name, inside, placed)];
  }
  const places = externalPlaces(`${name}_data`, placed, externalFileBytes);
  const outside = places.map(({ tensor, file, offset }) => ({
    ...described(tensor),
    ...elsewhere(file, tensor.bytes, offset),
  }));
  const withPlaces = { ...model, graph: { ...model.graph, initializer: [...others, ...outside] } };
  return [modelFile(name, withPlaces, []), ...externalFiles(places)];
}

const described = ({ name, dtype, shape }: Placed) => ({ name, dims: shape, dataType: onnxTypeCodes[dtype] });

function sized(graph: Graph, tensor: FileTensor): Placed {
  const { dtype, shape } = graph.inputs.get(tensor.name)!;
  const bytes = shape.reduce<number>((product, dim) => product * Number(dim), arrayTypes[dtype].BYTES_PER_ELEMENT);
  return { ...tensor, dtype, shape: shape as number[], bytes };
}

/** Returns the model's file. The initializers in `tensors` are appended to the encoded model as further fields of its graph. */
function modelFile(name: string, { graph, ...model }: OnnxModel, tensors: readonly Placed[]): OnnxFile {
  const head = protobuf.encode(onnx.model, model);
  const body = protobuf.encode(onnx.graph, graph);
  const entries = tensors.map((tensor) => {
    const proto = protobuf.encode(onnx.tensor, described(tensor));
    const data = protobuf.lengthPrefix(RAW_DATA, tensor.bytes);
    return {
      tensor,
      start: joined(protobuf.lengthPrefix(INITIALIZER, proto.length + data.length + tensor.bytes), proto, data),
    };
  });
  const length = entries.reduce((sum, { tensor, start }) => sum + start.length + tensor.bytes, body.length);
  const prefix = protobuf.lengthPrefix(GRAPH, length);
  return {
    name,
    bytes: head.length + prefix.length + length,
    chunks: async function* () {
      yield joined(head, prefix, body);
      for (const { tensor, start } of entries) {
        yield start;
        yield* checked(tensor);
      }
    },
  };
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

/** Yields a tensor's bytes. @throws if their number is not the one that the shape requires, since the file would be corrupt */
async function* checked({ name, shape, bytes, pieces }: Placed): AsyncGenerator<Uint8Array> {
  let written = 0;
  for await (const piece of pieces()) {
    written += piece.length;
    yield piece;
  }
  if (written !== bytes)
    throw new Error(`'${name}' [${shape.join(', ')}]: ${written} bytes were given, which should be ${bytes}`);
}

interface Place {
  tensor: Placed;
  file: string;
  offset: number;
}

function externalPlaces(name: string, tensors: readonly Placed[], fileBytes: number): Place[] {
  let [files, end] = [0, 0];
  return tensors.map((tensor) => {
    let offset = Math.ceil(end / PAGE) * PAGE;
    if (offset > 0 && offset + tensor.bytes > fileBytes) [files, offset] = [files + 1, 0];
    end = offset + tensor.bytes;
    return { tensor, file: files === 0 ? name : `${name}_${files}`, offset };
  });
}

function externalFiles(places: readonly Place[]): OnnxFile[] {
  return [...new Set(places.map(({ file }) => file))].map((name) => {
    const own = places.filter(({ file }) => file === name);
    const last = own.at(-1)!;
    return {
      name,
      bytes: last.offset + last.tensor.bytes,
      chunks: async function* () {
        let end = 0;
        for (const { tensor, offset } of own) {
          if (offset > end) yield new Uint8Array(offset - end);
          yield* checked(tensor);
          end = offset + tensor.bytes;
        }
      },
    };
  });
}
