// Encodes results of losses and samples as protobuf, in which they are stored, and converts them to JSON if a client asks.
import { protobuf } from '@bowyer/core';
import { finished, type Steps } from '@bowyer/text';
import type { LossReport } from '../training/trainable.js';
import { dtypes, forwardBackwardOutput, sampleResponse, stopReasons, type SampleResponseMessage } from './messages.js';
import { numbersText } from './numbers.js';
import { bytesOf, floats, integers } from './tensors.js';

/** The type name that the API gives the outputs of losses. */
const OUTPUT_TYPE = 'TensorDict';

/** Encodes the result of a loss, with the outputs of each datum: consecutive datums with the same width become one batch. */
export function lossBytes({ logprobs, metrics, loss }: LossReport, widths: readonly number[]): Uint8Array {
  const records: { fields: Record<string, BatchMessage>; numDatums: number; typeTag: string }[] = [];
  for (let from = 0; from < logprobs.length;) {
    let to = from + 1;
    while (to < logprobs.length && widths[to] === widths[from]) to++;
    const fields = { logprobs: batchOf(logprobs.slice(from, to), widths[from]) };
    records.push({ typeTag: OUTPUT_TYPE, fields, numDatums: to - from });
    from = to;
  }
  const message = {
    lossFnOutputType: OUTPUT_TYPE,
    lossFnOutputs: records,
    metrics: { 'loss:sum': loss, ...metrics },
  };
  return protobuf.encode(forwardBackwardOutput, message);
}

interface BatchMessage {
  data: Uint8Array;
  offsets: Uint8Array;
  dtype: number;
  trailingShape?: number[];
}

function batchOf(arrays: readonly Float32Array[], width: number): BatchMessage {
  const offsets = new BigInt64Array(arrays.length + 1);
  let bytes = 0;
  for (const [i, array] of arrays.entries()) offsets[i + 1] = BigInt((bytes += array.byteLength));
  const data = Buffer.concat(arrays.map(bytesOf));
  return { data, offsets: bytesOf(offsets), dtype: dtypes.float32, ...(width > 1 && { trailingShape: [width] }) };
}

/** NaN and infinities, which JSON lacks, become null. */
export function* lossText(bytes: Uint8Array): Steps<string> {
  const { lossFnOutputType, lossFnOutputs = [], metrics = {} } = protobuf.decode(forwardBackwardOutput, bytes);
  const outputs: string[] = [];
  for (const { fields = {} } of lossFnOutputs) {
    const { data = new Uint8Array(), offsets = new Uint8Array(), trailingShape = [] } = fields.logprobs;
    const places = Array.from(new BigInt64Array(new Uint8Array(offsets).buffer), Number);
    for (let i = 0; i < places.length - 1; i++)
      outputs.push(yield* outputText(floats('logprobs', data.subarray(places[i], places[i + 1])), trailingShape));
  }
  const head = JSON.stringify({ loss_fn_output_type: lossFnOutputType });
  return `${head.slice(0, -1)},"loss_fn_outputs":[${outputs.join(',')}],"metrics":${JSON.stringify(metrics)}}`;
}

function* outputText(values: Float32Array, trailingShape: readonly number[]): Steps<string> {
  const shape = JSON.stringify([values.length / (trailingShape[0] ?? 1), ...trailingShape]);
  return `{"logprobs":{"data":${yield* numbersText(values)},"dtype":"float32","shape":${shape}}}`;
}

export const lossJson = (bytes: Uint8Array): object => JSON.parse(finished(lossText(bytes))) as object;

export interface SampleResult {
  sequences: { stopReason: 'stop' | 'length'; tokens: readonly number[]; logprobs: readonly number[] }[];
  /** In nats, with NaN for the first token; null if the request does not ask for them. */
  promptLogprobs: Float32Array | null;
  /** The k most likely tokens per position of the prompt, [prompt, k], row by row; the first row is empty. Null if not asked. */
  topK: { ids: Int32Array; logprobs: Float32Array; k: number; promptLength: number } | null;
  cachedTokens: number;
}

/** The id and the log-probability that are written where there is no token. */
export const EMPTY = { id: 0, logprob: -99_999 } as const;

export function sampleBytes({ sequences, promptLogprobs, topK, cachedTokens }: SampleResult): Uint8Array {
  return protobuf.encode(sampleResponse, {
    sequences: sequences.map(({ stopReason, tokens, logprobs }) => ({
      stopReason: stopReasons.indexOf(stopReason),
      tokens: bytesOf(Int32Array.from(tokens)),
      logprobs: bytesOf(Float32Array.from(logprobs)),
    })),
    ...(promptLogprobs && { promptLogprobs: bytesOf(promptLogprobs) }),
    ...(topK && {
      topkPromptLogprobs: {
        tokenIds: bytesOf(topK.ids),
        logprobs: bytesOf(topK.logprobs),
        k: topK.k,
        promptLength: topK.promptLength,
      },
    }),
    promptCacheHitTokens: cachedTokens,
  });
}

/** NaN, which JSON lacks, becomes null. */
export function* sampleText(bytes: Uint8Array): Steps<string> {
  const {
    sequences = [],
    promptLogprobs,
    topkPromptLogprobs,
    promptCacheHitTokens,
  } = protobuf.decode(sampleResponse, bytes);
  const none = new Uint8Array();
  const written: string[] = [];
  for (const { stopReason = 0, tokens = none, logprobs = none } of sequences) {
    const [ids, values] = [
      yield* numbersText(integers('tokens', tokens)),
      yield* numbersText(floats('logprobs', logprobs)),
    ];
    written.push(`{"stop_reason":"${stopReasons[stopReason]}","tokens":${ids},"logprobs":${values}}`);
  }
  const scores = promptLogprobs ? yield* numbersText(floats('prompt_logprobs', promptLogprobs)) : 'null';
  const top = topkPromptLogprobs ? yield* topKText(topkPromptLogprobs) : 'null';
  return (
    `{"type":"sample","sequences":[${written.join(',')}],"prompt_logprobs":${scores},"topk_prompt_logprobs":${top},` +
    `"prompt_cache_hit_tokens":${promptCacheHitTokens ?? 0}}`
  );
}

export const sampleJson = (bytes: Uint8Array): object => JSON.parse(finished(sampleText(bytes))) as object;

const ROWS = 512;

function* topKText({
  tokenIds,
  logprobs,
  k = 0,
  promptLength = 0,
}: NonNullable<SampleResponseMessage['topkPromptLogprobs']>): Steps<string> {
  const none = new Uint8Array();
  const [ids, values] = [integers('token_ids', tokenIds ?? none), floats('logprobs', logprobs ?? none)];
  const rows: string[] = [];
  for (let i = 0; i < promptLength; i++) {
    const row = Array.from({ length: k }, (_, j) => [ids[i * k + j], values[i * k + j]] as const);
    const known = row.filter(([, value]) => value !== EMPTY.logprob);
    rows.push(known.length > 0 ? JSON.stringify(known) : 'null');
    if (i % ROWS === ROWS - 1) yield;
  }
  return `[${rows.join(',')}]`;
}
