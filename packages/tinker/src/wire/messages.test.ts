// Bytes written by hand: tag = number * 8 + wire type (0 varint, 1 eight bytes, 2 length-delimited).
import { protobuf } from '@bowyer/core';
import { forwardBackwardRequest, sampleResponse } from './messages.js';
import { lossInputOfMessage } from './loss-input.js';
import { lossBytes, lossJson, sampleBytes, sampleJson } from './results.js';

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

test('a request by hand is read as it was meant', () => {
  const bytes = hex(
    `
    0a 01 6d  10 02
    1a 31
      0a 0c 0a 0a 0a 08 05000000 06000000
      12 21 0a 0d 7461726765745f746f6b656e73 12 10 0a 08 06000000 07000000 18 03 22 02 02 01
    22 0d 63726f73735f656e74726f7079
    30 01`
      .replace('22 02 02 01', '22 01 02')
      .replace('12 10 0a 08', '12 0f 0a 08')
      .replace('12 21', '12 20')
      .replace('1a 31', '1a 30'),
  );
  const message = protobuf.decode(forwardBackwardRequest, bytes);
  expect(message).toMatchObject({ modelId: 'm', seqId: 2, lossFn: 'cross_entropy', forwardOnly: true });
  const { data } = lossInputOfMessage(message);
  expect(data[0]).toEqual({ tokens: Int32Array.of(5, 6), targets: Int32Array.of(6, 7), width: 1, inputs: {} });
  expect(Buffer.from(protobuf.encode(forwardBackwardRequest, message))).toEqual(bytes);
});

test('a sample is written as these bytes', () => {
  const bytes = sampleBytes({
    sequences: [{ stopReason: 'length', tokens: [3], logprobs: [-0.5] }],
    promptLogprobs: Float32Array.of(NaN, -1),
    topK: null,
    cachedTokens: 2,
  });
  expect(Buffer.from(bytes)).toEqual(hex('0a 0e 08 01 12 04 03000000 1a 04 000000bf  12 08 0000c07f 000080bf  20 02'));
  expect(sampleJson(bytes)).toMatchObject({
    sequences: [{ stop_reason: 'length', tokens: [3], logprobs: [-0.5] }],
    prompt_logprobs: [null, -1],
  });
});

test('the outputs of a loss keep their widths; metrics are NAME:REDUCTION', () => {
  const logprobs = [Float32Array.of(-1, -2), Float32Array.of(-1, -2, -3, -4)];
  expect(lossJson(lossBytes({ logprobs, loss: 3, metrics: {} }, [1, 2]))).toEqual({
    loss_fn_output_type: 'TensorDict',
    loss_fn_outputs: [
      { logprobs: { data: [-1, -2], dtype: 'float32', shape: [2] } },
      { logprobs: { data: [-1, -2, -3, -4], dtype: 'float32', shape: [2, 2] } },
    ],
    metrics: { 'loss:sum': 3 },
  });
});

test('an unknown field, another wire type and bytes that end early are refused', () => {
  expect(() => protobuf.decode(sampleResponse, hex('28 01'))).toThrow(
    'SampleResponse has the field 5, which is not known',
  );
  expect(() => protobuf.decode(sampleResponse, hex('22 01 00'))).toThrow('has the wire type 2, not 0');
  expect(() => protobuf.decode(sampleResponse, hex('12 08 00'))).toThrow(
    'the bytes are not of the type SampleResponse: ',
  );
});
