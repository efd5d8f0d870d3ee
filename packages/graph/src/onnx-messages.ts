// Defines the protobuf messages of ONNX models, with those fields that this package writes or reads.
// Source: onnx.proto3 of onnx/onnx, with the same field numbers and names.
import { protobuf } from '@bowyer/core';

const { bytes, float, int32, int64, later, many, messageType, optional, string } = protobuf;

const stringStringEntry = messageType('StringStringEntryProto', {
  key: optional(1, string),
  value: optional(2, string),
});

const tensor = messageType('TensorProto', {
  dims: many(1, int64),
  dataType: optional(2, int32),
  floatData: many(4, float),
  name: optional(8, string),
  rawData: optional(9, bytes),
  externalData: many(13, stringStringEntry),
  dataLocation: optional(14, int32),
});

const dimension = messageType('Dimension', { dimValue: optional(1, int64), dimParam: optional(2, string) });
const shape = messageType('TensorShapeProto', { dim: many(1, dimension) });
const tensorType = messageType('Tensor', { elemType: optional(1, int32), shape: optional(2, shape) });
const elements = messageType('TypeProto', { tensorType: optional(1, tensorType) });
const type = messageType('TypeProto', {
  tensorType: optional(1, tensorType),
  sequenceType: optional(4, messageType('Sequence', { elemType: optional(1, elements) })),
});
const valueInfo = messageType('ValueInfoProto', { name: optional(1, string), type: optional(2, type) });

/** The graph that an attribute contains (the body of a Scan), whose type is that of the model's graph, defined below. */
const body = later(() => graph);
const attribute = messageType('AttributeProto', {
  name: optional(1, string),
  f: optional(2, float),
  i: optional(3, int64),
  s: optional(4, bytes),
  g: optional(6, body),
  floats: many(7, float),
  ints: many(8, int64),
  type: optional(20, int32),
});

const node = messageType('NodeProto', {
  input: many(1, string),
  output: many(2, string),
  name: optional(3, string),
  opType: optional(4, string),
  attribute: many(5, attribute),
  domain: optional(7, string),
});

const graph = messageType('GraphProto', {
  node: many(1, node),
  name: optional(2, string),
  initializer: many(5, tensor),
  input: many(11, valueInfo),
  output: many(12, valueInfo),
  valueInfo: many(13, valueInfo),
});

const operatorSet = messageType('OperatorSetIdProto', { domain: optional(1, string), version: optional(2, int64) });
const model = messageType('ModelProto', {
  irVersion: optional(1, int64),
  producerName: optional(2, string),
  graph: optional(7, graph),
  opsetImport: many(8, operatorSet),
});

export const onnx = { model, graph, tensor };
type OnnxGraph = protobuf.MessageOf<typeof graph>;
export type OnnxModel = protobuf.MessageOf<typeof model> & { graph: OnnxGraph };

/** The numbers by which ONNX's AttributeProto names the types of attributes. */
export const attributeTypes = { FLOAT: 1, INT: 2, STRING: 3, GRAPH: 5, FLOATS: 6, INTS: 7 } as const;

/** The value of TensorProto.DataLocation for a tensor whose elements are in a file beside the model. */
export const EXTERNAL = 1;
