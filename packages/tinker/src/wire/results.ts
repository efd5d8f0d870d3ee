// The results that are sent as protobuf or JSON, as the client asks. They are kept as protobuf.
import { protobuf } from '@bowyer/core';
import type { LossReport } from '../training/trainable.js';
import { dtypes, forwardBackwardOutput, sampleResponse, stopReasons, type SampleResponseMessage } from './messages.js';
import { bytesOf, floats, integers } from './tensors.js';

/** The type of the outputs that the losses have. */
const OUTPUT_TYPE = 'TensorDict';

/** The outputs of a loss by datum: one batch for each run of datums of the same width. */
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

/** JSON has neither NaN nor infinities, which the client's form of it does not allow either. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

export function lossJson(bytes: Uint8Array): object {
  const { lossFnOutputType, lossFnOutputs = [], metrics = {} } = protobuf.decode(forwardBackwardOutput, bytes);
  const outputs = lossFnOutputs.flatMap(({ fields = {} }) => {
    const { data = new Uint8Array(), offsets = new Uint8Array(), trailingShape = [] } = fields.logprobs;
    const places = Array.from(new BigInt64Array(new Uint8Array(offsets).buffer), Number);
    return places.slice(1).map((end, i) => {
      const values = Array.from(floats('logprobs', data.subarray(places[i], end)));
      const width = trailingShape[0] ?? 1;
      return { logprobs: { data: values, dtype: 'float32', shape: [values.length / width, ...trailingShape] } };
    });
  });
  return { loss_fn_output_type: lossFnOutputType, loss_fn_outputs: outputs, metrics: { ...metrics } };
}

export interface SampleResult {
  sequences: { stopReason: 'stop' | 'length'; tokens: readonly number[]; logprobs: readonly number[] }[];
  /** Log-probabilities of the prompt's tokens: NaN for the first; null where they were not asked for. */
  promptLogprobs: Float32Array | null;
  /** [prompt, k] row by row; the first row is empty; null where they were not asked for. */
  topK: { ids: Int32Array; logprobs: Float32Array; k: number; promptLength: number } | null;
  cachedTokens: number;
}

/** Written in the place of a token that is missing. */
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

export function sampleJson(bytes: Uint8Array): object {
  const {
    sequences = [],
    promptLogprobs,
    topkPromptLogprobs,
    promptCacheHitTokens,
  } = protobuf.decode(sampleResponse, bytes);
  const none = new Uint8Array();
  return {
    type: 'sample',
    sequences: sequences.map(({ stopReason = 0, tokens = none, logprobs = none }) => ({
      stop_reason: stopReasons[stopReason],
      tokens: Array.from(integers('tokens', tokens)),
      logprobs: Array.from(floats('logprobs', logprobs)),
    })),
    prompt_logprobs: promptLogprobs ? Array.from(floats('prompt_logprobs', promptLogprobs), finite) : null,
    topk_prompt_logprobs: topkPromptLogprobs ? topKJson(topkPromptLogprobs) : null,
    prompt_cache_hit_tokens: promptCacheHitTokens ?? 0,
  };
}

function topKJson({
  tokenIds,
  logprobs,
  k = 0,
  promptLength = 0,
}: NonNullable<SampleResponseMessage['topkPromptLogprobs']>) {
  const none = new Uint8Array();
  const [ids, values] = [integers('token_ids', tokenIds ?? none), floats('logprobs', logprobs ?? none)];
  return Array.from({ length: promptLength }, (_, i) => {
    const row = Array.from({ length: k }, (_, j) => [ids[i * k + j], values[i * k + j]] as const);
    const known = row.filter(([, value]) => value !== EMPTY.logprob);
    return known.length > 0 ? known : null;
  });
}
