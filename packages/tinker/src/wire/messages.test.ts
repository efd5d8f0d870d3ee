// Tests protobuf messages with bytes that were written by hand: a field begins with its number · 8 + wire type (0 varint, 1 eight
// bytes, 2 length-delimited).
import { protobuf } from '@bowyer/core';
import { finished } from '@bowyer/text';
import { dtypes, forwardBackwardRequest, placeOfMessage, requestOf, sampleResponse } from './messages.js';
import { lossInputOfJson, lossInputOfMessage } from './loss-input.js';
import { lossBytes, lossJson, lossText, sampleBytes, sampleJson } from './results.js';

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
  const { data } = finished(lossInputOfMessage(requestOf(bytes, 1)));
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

/** Returns a pair of bytes, repeated. */
const repeated = (pair: string, times: number) => Buffer.alloc(2 * times).fill(hex(pair));

test('millions of empty messages are refused before they are all made', () => {
  const datums = repeated('1a 00', 100_000);
  expect(() => requestOf(datums, 1024)).toThrow('ForwardBackwardRequest: it has more than 5120 values');
  expect(() => requestOf(repeated('2a 00', 100_000), 1024)).toThrow('it has more than 5120 values');
  expect(placeOfMessage(Buffer.concat([hex('0a 01 6d'), datums]), 1024)).toEqual({ modelId: 'm' });
  expect(placeOfMessage(Buffer.concat([datums, hex('0a 01 6d')]), 1024)).toEqual({});
  const shape = Array.from({ length: 5000 }, () => 1);
  const request = protobuf.encode(forwardBackwardRequest, {
    data: [{ lossFnInputs: { target_tokens: { dense: new Uint8Array(), dtype: dtypes.int64, shape } } }],
  });
  expect(() => finished(lossInputOfMessage(requestOf(request, 1)))).toThrow('Datum: it has more than 4096 values');
});

/** Returns the tensor `weights` that is read from a request with one datum of one token. */
function weightsOf(dtype: keyof typeof dtypes, dense: Uint8Array, shape: number[]): Float32Array {
  const target = { dense: hex('07000000'), dtype: dtypes.int32, shape: [1] };
  const modelInput = [{ encodedText: { tokens: hex('05000000') } }];
  const lossFnInputs = { target_tokens: target, weights: { dense, dtype: dtypes[dtype], shape } };
  const request = protobuf.encode(forwardBackwardRequest, { data: [{ modelInput, lossFnInputs }] });
  return finished(lossInputOfMessage(requestOf(request, 1))).data[0].inputs.weights;
}

test('integers of 64 bits are read with their sign, and refused where 32 do not hold them; the kinds of floats are', () => {
  const int64 = (value: bigint) => new Uint8Array(BigInt64Array.of(value).buffer);
  for (const value of [0, 5, -1, -7, 2 ** 31 - 1, -(2 ** 31)])
    expect(weightsOf('int64', int64(BigInt(value)), [1])).toEqual(Float32Array.of(value));
  for (const value of [2n ** 31n, -(2n ** 31n) - 1n, 2n ** 40n, -(2n ** 63n)])
    expect(() => weightsOf('int64', int64(value), [1])).toThrow(`contains ${value}, which is no integer of 32 bits`);
  expect(weightsOf('bfloat16', hex('c0bf'), [1])).toEqual(Float32Array.of(-1.5));
  expect(weightsOf('float32', hex('000000bf'), [1])).toEqual(Float32Array.of(-0.5));
});

/** Returns a request in JSON with one datum. */
const ofJson = (tokens: unknown[], data: unknown[]) => ({
  data: [
    {
      model_input: { chunks: [{ type: 'encoded_text' as const, tokens }] },
      loss_fn_inputs: { target_tokens: { data, dtype: 'int64' as const } },
    },
  ],
  loss_fn: 'cross_entropy',
});

test('lists of a million numbers are read in steps, and what is no number is named by its place', () => {
  const ids = Array.from({ length: 300_000 }, (_, i) => i);
  const reading = lossInputOfJson(ofJson(ids, ids));
  let steps = 0;
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) {
      expect(value.data[0].tokens).toEqual(Int32Array.from(ids));
      break;
    }
    steps++;
  }
  expect(steps).toBeGreaterThanOrEqual(8);
  const reject = (tokens: unknown[], data: unknown[]) => () => finished(lossInputOfJson(ofJson(tokens, data)));
  expect(reject([1, 2, 'x'], [1, 2, 3])).toThrow('data[0].model_input.chunks[0].tokens[2]: expected integer, not "x"');
  expect(reject([1, 2], [1, [2]])).toThrow('target_tokens.data[1]: expected integer, not an array of 1');
  expect(reject([1, 2], [1, 2.5])).toThrow('target_tokens.data contains 2.5, which is no integer of 32 bits');
  expect(reject([1, 2 ** 31], [1, 2])).toThrow('tokens contains 2147483648, which is no integer of 32 bits');
});

test('an input that is named __proto__ is an input like any other', () => {
  const request = ofJson([1, 2], [1, 2]);
  const named = JSON.stringify(request).replace(
    '"target_tokens"',
    '"__proto__":{"data":[1,2],"dtype":"float32"},"target_tokens"',
  );
  const [{ inputs }] = finished(lossInputOfJson(JSON.parse(named) as typeof request)).data;
  expect(Object.keys(inputs)).toEqual(['__proto__']);
});

test('a loss of 100,000 tokens is written in steps, and numbers that JSON has not are null', () => {
  const logprobs = [Float32Array.from({ length: 100_000 }, (_, i) => -(i + 1) / 8), Float32Array.of(NaN, -Infinity)];
  const steps = [...lossText(lossBytes({ logprobs, loss: 3, metrics: {} }, [1, 1]))].length;
  expect(steps).toBeGreaterThanOrEqual(12);
  const outputs = Reflect.get(lossJson(lossBytes({ logprobs, loss: 3, metrics: {} }, [1, 1])), 'loss_fn_outputs') as {
    logprobs: { data: (number | null)[] };
  }[];
  expect(outputs[0].logprobs.data).toEqual(Array.from(logprobs[0]));
  expect(outputs[1].logprobs.data).toEqual([null, null]);
});
