// Declares the messages of the Tinker API that clients may send or request as protobuf in place of JSON.
import { protobuf } from '@bowyer/core';

const { bool, bytes, decode, decodeBeginning, double, int32, int64, many, map, messageType, optional, string } =
  protobuf;

/** The numbers of the dtypes in protobuf; 0 means that the dtype is not specified. */
export const dtypes = { float32: 1, int64: 2, int32: 3, bfloat16: 4 } as const;

/** The reasons why a sampled sequence ended, in the order of their protobuf numbers. */
export const stopReasons = ['stop', 'length'] as const;

const encodedText = messageType('EncodedTextChunk', { tokens: optional(1, bytes) });
const image = messageType('ImageChunk', {
  data: optional(1, bytes),
  format: optional(2, string),
  expectedTokens: optional(3, int32),
});
const dmel = messageType('DmelChunk', { dmel: optional(1, bytes) });
const chunk = messageType('Chunk', {
  encodedText: optional(1, encodedText),
  image: optional(2, image),
  dmel: optional(3, dmel),
});

const sparseCsr = messageType('SparseCsr', {
  values: optional(1, bytes),
  crowIndices: optional(2, bytes),
  colIndices: optional(3, bytes),
});
const tensor = messageType('Tensor', {
  dense: optional(1, bytes),
  sparseCsr: optional(2, sparseCsr),
  dtype: optional(3, int32),
  shape: many(4, int64),
});
const datum = messageType('Datum', { modelInput: many(1, chunk), lossFnInputs: map(2, tensor) });

const ofRequest = {
  modelId: optional(1, string),
  seqId: optional(2, int32),
  lossFn: optional(4, string),
  lossFnConfig: map(5, double),
  forwardOnly: optional(6, bool),
};

export const forwardBackwardRequest = messageType('ForwardBackwardRequest', { ...ofRequest, data: many(3, datum) });

/** Leaves each datum as bytes, so that datums can be decoded one after another. */
const requestOfBytes = messageType('ForwardBackwardRequest', { ...ofRequest, data: many(3, bytes) });

/** The most protobuf fields of a datum, or of a request without its datums: those of the official client have about thirty. */
const MOST_FIELDS = 4096;

/** The datums stay bytes. @param datums the most datums of a request @throws {protobuf.MessageError} */
export const requestOf = (content: Uint8Array, datums: number): ForwardBackwardBytes =>
  decode(requestOfBytes, content, { unknown: 'refused', mostFields: datums + MOST_FIELDS });

/** Throws {protobuf.MessageError}. */
export const datumOf = (content: Uint8Array): DatumMessage =>
  decode(datum, content, { unknown: 'refused', mostFields: MOST_FIELDS });

const batchedTensor = messageType('BatchedTensor', {
  data: optional(1, bytes),
  offsets: optional(2, bytes),
  dtype: optional(3, int32),
  trailingShape: many(4, int64),
});
const arrayRecord = messageType('ArrayRecord', {
  typeTag: optional(1, string),
  fields: map(2, batchedTensor),
  numDatums: optional(3, int32),
});

export const forwardBackwardOutput = messageType('ForwardBackwardOutput', {
  lossFnOutputType: optional(1, string),
  lossFnOutputs: many(2, arrayRecord),
  metrics: map(3, double),
});

const sampledSequence = messageType('SampledSequence', {
  stopReason: optional(1, int32),
  tokens: optional(2, bytes),
  logprobs: optional(3, bytes),
});
const topkPromptLogprobs = messageType('TopkPromptLogprobs', {
  tokenIds: optional(1, bytes),
  logprobs: optional(2, bytes),
  k: optional(3, int32),
  promptLength: optional(4, int32),
});

export const sampleResponse = messageType('SampleResponse', {
  sequences: many(1, sampledSequence),
  promptLogprobs: optional(2, bytes),
  topkPromptLogprobs: optional(3, topkPromptLogprobs),
  promptCacheHitTokens: optional(4, int32),
});

export type ForwardBackwardBytes = protobuf.MessageOf<typeof requestOfBytes>;
type DatumMessage = protobuf.MessageOf<typeof datum>;
export type SampleResponseMessage = protobuf.MessageOf<typeof sampleResponse>;
export type TensorMessage = protobuf.MessageOf<typeof tensor>;
export type ChunkMessage = protobuf.MessageOf<typeof chunk>;

const place = messageType('ForwardBackwardRequest', { modelId: optional(1, string), seqId: optional(2, int32) });

/** Reads the model's id and the sequence number of a ForwardBackwardRequest, even if the rest of the message is damaged. */
export const placeOfMessage = (content: Uint8Array, datums: number) =>
  decodeBeginning(place, content, datums + MOST_FIELDS);
