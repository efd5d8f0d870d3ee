// Encodes the protobuf messages that a run writes to TensorBoard's event files. Source of the field numbers: event.proto,
// summary.proto, tensor.proto and histogram.proto of TensorFlow 2, plugin_data.proto and api.proto of TensorBoard's plugin
// hparams.
import { protobuf } from '@bowyer/core';

const { bool, bytes, double, encode, float, int32, int64, many, map, messageType, one, optional, string } = protobuf;

const pluginData = messageType('PluginData', { pluginName: one(1, string), content: one(2, bytes) });
const metadata = messageType('SummaryMetadata', { pluginData: optional(1, pluginData) });
const histogram = messageType('HistogramProto', {
  min: optional(1, double),
  max: optional(2, double),
  num: optional(3, double),
  sum: optional(4, double),
  sumSquares: optional(5, double),
  bucketLimit: many(6, double),
  bucket: many(7, double),
});
const shape = messageType('TensorShapeProto', { dim: many(2, messageType('Dim', { size: one(1, int64) })) });
const tensor = messageType('TensorProto', {
  dtype: one(1, int32),
  shape: optional(2, shape),
  strings: many(8, string),
});
const value = messageType('Value', {
  tag: optional(1, string),
  simpleValue: optional(2, float),
  histogram: optional(5, histogram),
  tensor: optional(8, tensor),
  metadata: optional(9, metadata),
});
/** Each element of `value` is an encoded message, which `textValue`, `histogramValue` and the other functions below return. */
const summary = messageType('Summary', { value: many(1, bytes) });
const event = messageType('Event', {
  wallTime: optional(1, double),
  step: optional(2, int64),
  fileVersion: optional(3, string),
  summary: optional(5, bytes),
  sessionLog: optional(7, messageType('SessionLog', { status: one(1, int32) })),
});

interface EventOptions {
  /** The time of the event in seconds since 1970. */
  wallTime: number;
  step: number;
}

/** Returns the first event of a file, which contains the version of the format. */
export const versionEvent = (wallTime: number): Uint8Array => encode(event, { wallTime, fileVersion: 'brain.Event:2' });

const SESSION_START = 1;

/**
 * Returns an event that makes TensorBoard discard its step and all later ones that are in earlier files. It is written when a run
 * is resumed before steps that an earlier process logged.
 */
export const restartEvent = ({ wallTime, step }: EventOptions): Uint8Array =>
  encode(event, { wallTime, step, sessionLog: { status: SESSION_START } });

/**
 * @param values encoded messages that the functions below return
 * @param scalars the encoded scalars from `ScalarValues`
 */
export function summaryEvent(
  { wallTime, step }: EventOptions,
  values: readonly Uint8Array[],
  scalars?: Uint8Array,
): Uint8Array {
  const others = encode(summary, { value: values });
  return encode(event, { wallTime, step, summary: scalars ? Buffer.concat([scalars, others]) : others });
}

/**
 * The scalars of a step as encoded bytes, whose tags are encoded once: for each step, only the numbers in the bytes are replaced.
 */
export class ScalarValues {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** The byte offset at which each number, a 32-bit float, is stored. */
  readonly #places: number[] = [];

  constructor(tags: readonly string[]) {
    const members = tags.map((tag) => encode(summary, { value: [scalarValue(tag, 1)] }));
    let at = 0;
    for (const { length } of members) this.#places.push((at += length) - 4);
    this.#bytes = Buffer.concat(members);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset);
  }

  /** Returns the encoded scalars with the given numbers. The bytes are valid only until the next call, which overwrites them. */
  with(numbers: readonly number[]): Uint8Array {
    for (let i = 0; i < this.#places.length; i++) this.#view.setFloat32(this.#places[i], numbers[i], true);
    return this.#bytes;
  }
}

export const scalarValue = (tag: string, number: number): Uint8Array => encode(value, { tag, simpleValue: number });

const DT_STRING = 7;

/** Returns a value that contains a text for TensorBoard's plugin `text`, which renders Markdown. */
export const textValue = (tag: string, markdown: string): Uint8Array =>
  encode(value, {
    tag,
    tensor: { dtype: DT_STRING, shape: { dim: [{ size: 1 }] }, strings: [markdown] },
    metadata: { pluginData: { pluginName: 'text' } },
  });

const BINS = 30;

/** Returns a value with the histogram of numbers, in bins of equal width between the smallest and the largest one. */
export function histogramValue(tag: string, numbers: readonly number[]): Uint8Array {
  const [low, high] = numbers.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
  const width = (high - low) / BINS || 1;
  const counts = new Array<number>(BINS).fill(0);
  for (const x of numbers) counts[Math.min(BINS - 1, Math.floor((x - low) / width))]++;
  const counted = {
    min: low,
    max: high,
    num: numbers.length,
    sum: numbers.reduce((sum, x) => sum + x, 0),
    sumSquares: numbers.reduce((sum, x) => sum + x * x, 0),
    bucketLimit: counts.map((_, bin) => low + (bin + 1) * width),
    bucket: counts,
  };
  return encode(value, { tag, histogram: counted });
}

/** The message type google.protobuf.Value, for hyperparameters of any type. */
const anyValue = messageType('Value', {
  numberValue: optional(2, double),
  stringValue: optional(3, string),
  boolValue: optional(4, bool),
});
const sessionStart = messageType('SessionStartInfo', {
  hparams: map(1, anyValue),
  groupName: optional(4, string),
  startTimeSecs: optional(5, double),
});
const sessionEnd = messageType('SessionEndInfo', { status: one(1, int32), endTimeSecs: optional(2, double) });
const hparams = messageType('HParamsPluginData', {
  sessionStartInfo: optional(3, sessionStart),
  sessionEndInfo: optional(4, sessionEnd),
});

/** Returns a value that only carries data for TensorBoard's plugin `hparams`, which compares runs by hyperparameters. */
const hparamsValue = (tag: string, data: protobuf.MessageOf<typeof hparams>): Uint8Array =>
  encode(value, { tag, metadata: { pluginData: { pluginName: 'hparams', content: encode(hparams, data) } } });

export type HyperparameterValue = string | number | boolean;

function protobufValue(given: HyperparameterValue): protobuf.MessageOf<typeof anyValue> {
  if (typeof given === 'number') return { numberValue: given };
  return typeof given === 'string' ? { stringValue: given } : { boolValue: given };
}

/** Returns the value by which the plugin `hparams` learns the hyperparameters of a run when it begins. */
export const sessionStartValue = (
  name: string,
  hyperparameters: Readonly<Record<string, HyperparameterValue>>,
  startSeconds: number,
): Uint8Array =>
  hparamsValue('_hparams_/session_start_info', {
    sessionStartInfo: {
      hparams: Object.fromEntries(Object.entries(hyperparameters).map(([key, given]) => [key, protobufValue(given)])),
      groupName: name,
      startTimeSecs: startSeconds,
    },
  });

const statuses = { finished: 1, failed: 2, stopped: 2 } as const;

/** Returns the value by which the plugin `hparams` learns that a run has ended, and how. */
export const sessionEndValue = (status: keyof typeof statuses, endSeconds: number): Uint8Array =>
  hparamsValue('_hparams_/session_end_info', {
    sessionEndInfo: { status: statuses[status], endTimeSecs: endSeconds },
  });
