// The messages of Tinker's wire that are also sent as protobuf.
// Source: the package tinker_public (tinker_public_pb2.pyi of thinking-machines-lab/tinker@d595dc2); field numbers are its own.
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { many, map, messageType, one, type MessageOf } from './field-table.js';

/** The numbers of dtypes; unspecified is 0. */
export const dtypes = { float32: 1, int64: 2, int32: 3, bfloat16: 4 } as const;

/** The numbers of the reasons for which a sequence ends. */
export const stopReasons = ['stop', 'length'] as const;

const encodedText = messageType('EncodedTextChunk', { tokens: one(1, 'bytes') });
const image = messageType('ImageChunk', {
  data: one(1, 'bytes'),
  format: one(2, 'string'),
  expectedTokens: one(3, 'int32'),
});
const dmel = messageType('DmelChunk', { dmel: one(1, 'bytes') });
const chunk = messageType('Chunk', { encodedText: one(1, encodedText), image: one(2, image), dmel: one(3, dmel) });

const sparseCsr = messageType('SparseCsr', {
  values: one(1, 'bytes'),
  crowIndices: one(2, 'bytes'),
  colIndices: one(3, 'bytes'),
});
const tensor = messageType('Tensor', {
  dense: one(1, 'bytes'),
  sparseCsr: one(2, sparseCsr),
  dtype: one(3, 'int32'),
  shape: many(4, 'int64'),
});
const datum = messageType('Datum', { modelInput: many(1, chunk), lossFnInputs: map(2, tensor) });

export const forwardBackwardRequest = messageType('ForwardBackwardRequest', {
  modelId: one(1, 'string'),
  seqId: one(2, 'int32'),
  data: many(3, datum),
  lossFn: one(4, 'string'),
  lossFnConfig: map(5, 'double'),
  forwardOnly: one(6, 'bool'),
});

const batchedTensor = messageType('BatchedTensor', {
  data: one(1, 'bytes'),
  offsets: one(2, 'bytes'),
  dtype: one(3, 'int32'),
  trailingShape: many(4, 'int64'),
});
const arrayRecord = messageType('ArrayRecord', {
  typeTag: one(1, 'string'),
  fields: map(2, batchedTensor),
  numDatums: one(3, 'int32'),
});

export const forwardBackwardOutput = messageType('ForwardBackwardOutput', {
  lossFnOutputType: one(1, 'string'),
  lossFnOutputs: many(2, arrayRecord),
  metrics: map(3, 'double'),
});

const sampledSequence = messageType('SampledSequence', {
  stopReason: one(1, 'int32'),
  tokens: one(2, 'bytes'),
  logprobs: one(3, 'bytes'),
});
const topkPromptLogprobs = messageType('TopkPromptLogprobs', {
  tokenIds: one(1, 'bytes'),
  logprobs: one(2, 'bytes'),
  k: one(3, 'int32'),
  promptLength: one(4, 'int32'),
});

export const sampleResponse = messageType('SampleResponse', {
  sequences: many(1, sampledSequence),
  promptLogprobs: one(2, 'bytes'),
  topkPromptLogprobs: one(3, topkPromptLogprobs),
  promptCacheHitTokens: one(4, 'int32'),
});

export type ForwardBackwardRequestMessage = MessageOf<typeof forwardBackwardRequest>;
export type ForwardBackwardOutputMessage = MessageOf<typeof forwardBackwardOutput>;
export type SampleResponseMessage = MessageOf<typeof sampleResponse>;
export type TensorMessage = MessageOf<typeof tensor>;
export type ChunkMessage = MessageOf<typeof chunk>;

/** Model and sequence number of a ForwardBackwardRequest, as far as they can be read where the rest is not a message. */
export function placeOfMessage(bytes: Uint8Array): Pick<ForwardBackwardRequestMessage, 'modelId' | 'seqId'> {
  const place: Pick<ForwardBackwardRequestMessage, 'modelId' | 'seqId'> = {};
  const { modelId, seqId } = forwardBackwardRequest.fields;
  const reader = new BinaryReader(bytes);
  try {
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (number === modelId.number && wireType === WireType.LengthDelimited) place.modelId = reader.string();
      else if (number === seqId.number && wireType === WireType.Varint) place.seqId = reader.int32();
      else reader.skip(wireType, number);
    }
  } catch {
    return place;
  }
  return place;
}
