// The protobuf messages of TensorBoard's event files, as far as a run writes them.
// Source: event.proto, summary.proto, tensor.proto and histogram.proto of TensorFlow 2, plugin_data.proto and api.proto of
// TensorBoard's plugin hparams; field numbers are theirs.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

export interface EventOptions {
  /** Seconds since 1970. */
  wallTime: number;
  step: number;
}

const bytes = (writer: BinaryWriter, field: number, value: Uint8Array) =>
  writer.tag(field, WireType.LengthDelimited).bytes(value);
const string = (writer: BinaryWriter, field: number, value: string) =>
  writer.tag(field, WireType.LengthDelimited).string(value);
const double = (writer: BinaryWriter, field: number, value: number) => writer.tag(field, WireType.Bit64).double(value);

function event({ wallTime, step }: EventOptions, field: number, value: Uint8Array): Uint8Array {
  const writer = new BinaryWriter();
  double(writer, 1, wallTime);
  writer.tag(2, WireType.Varint).int64(step);
  return bytes(writer, field, value).finish();
}

/** The first event of a file. */
export function versionEvent(wallTime: number): Uint8Array {
  const writer = new BinaryWriter();
  double(writer, 1, wallTime);
  return string(writer, 3, 'brain.Event:2').finish();
}

const SESSION_START = 1;

/** Makes TensorBoard forget what earlier files have of this step and later ones: the run was resumed before it. */
export function restartEvent(options: EventOptions): Uint8Array {
  return event(options, 7, new BinaryWriter().tag(1, WireType.Varint).int32(SESSION_START).finish());
}

/** A summary of values, each made by one of the functions below. @param scalars made by `ScalarValues` */
export function summaryEvent(options: EventOptions, values: readonly Uint8Array[], scalars?: Uint8Array): Uint8Array {
  const writer = new BinaryWriter();
  if (scalars) writer.raw(scalars);
  for (const value of values) bytes(writer, SUMMARY_VALUE, value);
  return event(options, 5, writer.finish());
}

/** Scalars by their tags: the bytes of a step's values, in which the next step writes its own numbers. */
export class ScalarValues {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** The places of the four bytes of each number. */
  readonly #places: number[] = [];

  constructor(tags: readonly string[]) {
    const writer = new BinaryWriter();
    let at = 0;
    for (const tag of tags) {
      const value = scalarValue(tag, 1);
      bytes(writer, SUMMARY_VALUE, value);
      at += 1 + varintLength(value.length) + value.length;
      this.#places.push(at - 4);
    }
    this.#bytes = writer.finish();
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset);
  }

  /** @returns members of a summary, valid until the next call */
  with(numbers: readonly number[]): Uint8Array {
    for (let i = 0; i < this.#places.length; i++) this.#view.setFloat32(this.#places[i], numbers[i], true);
    return this.#bytes;
  }
}

const SUMMARY_VALUE = 1;
const varintLength = (value: number): number => (value < 128 ? 1 : 1 + varintLength(value >>> 7));

export function scalarValue(tag: string, value: number): Uint8Array {
  return string(new BinaryWriter(), 1, tag).tag(2, WireType.Bit32).float(value).finish();
}

const DT_STRING = 7;

/** @param markdown shown as such by the plugin `text` */
export function textValue(tag: string, markdown: string): Uint8Array {
  const shape = bytes(new BinaryWriter(), 2, new BinaryWriter().tag(1, WireType.Varint).int64(1).finish()).finish();
  const tensor = new BinaryWriter().tag(1, WireType.Varint).int32(DT_STRING);
  bytes(tensor, 2, shape);
  string(tensor, 8, markdown);
  const writer = string(new BinaryWriter(), 1, tag);
  bytes(writer, 9, pluginMetadata('text', new Uint8Array()));
  return bytes(writer, 8, tensor.finish()).finish();
}

/** Counts of `numbers` in equal bins between their smallest and largest. */
export function histogramValue(tag: string, numbers: readonly number[], bins = 30): Uint8Array {
  const [low, high] = numbers.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
  const width = (high - low) / bins || 1;
  const counts = new Array<number>(bins).fill(0);
  for (const x of numbers) counts[Math.min(bins - 1, Math.floor((x - low) / width))]++;
  const packed = (values: readonly number[]) => new Uint8Array(Float64Array.from(values).buffer);
  const histogram = new BinaryWriter();
  double(histogram, 1, low);
  double(histogram, 2, high);
  double(histogram, 3, numbers.length);
  double(
    histogram,
    4,
    numbers.reduce((sum, x) => sum + x, 0),
  );
  double(
    histogram,
    5,
    numbers.reduce((sum, x) => sum + x * x, 0),
  );
  bytes(histogram, 6, packed(counts.map((_, bin) => low + (bin + 1) * width)));
  bytes(histogram, 7, packed(counts));
  return bytes(string(new BinaryWriter(), 1, tag), 5, histogram.finish()).finish();
}

/** SummaryMetadata. */
function pluginMetadata(plugin: string, content: Uint8Array): Uint8Array {
  const data = string(new BinaryWriter(), 1, plugin);
  if (content.length > 0) bytes(data, 2, content);
  return bytes(new BinaryWriter(), 1, data.finish()).finish();
}

/** A value without data, which carries plugin data of the plugin `hparams`. */
function hparamsValue(tag: string, field: number, message: Uint8Array): Uint8Array {
  const metadata = pluginMetadata('hparams', bytes(new BinaryWriter(), field, message).finish());
  return bytes(string(new BinaryWriter(), 1, tag), 9, metadata).finish();
}

export type HyperparameterValue = string | number | boolean;

/** google.protobuf.Value. */
function protobufValue(value: HyperparameterValue): Uint8Array {
  const writer = new BinaryWriter();
  if (typeof value === 'number') return double(writer, 2, value).finish();
  if (typeof value === 'string') return string(writer, 3, value).finish();
  return writer.tag(4, WireType.Varint).bool(value).finish();
}

/** Starts the session of a run in the plugin `hparams`. */
export function sessionStartValue(
  name: string,
  hyperparameters: Readonly<Record<string, HyperparameterValue>>,
  startSeconds: number,
): Uint8Array {
  const writer = new BinaryWriter();
  for (const [key, value] of Object.entries(hyperparameters)) {
    const entry = string(new BinaryWriter(), 1, key);
    bytes(writer, 1, bytes(entry, 2, protobufValue(value)).finish());
  }
  string(writer, 4, name);
  double(writer, 5, startSeconds);
  return hparamsValue('_hparams_/session_start_info', 3, writer.finish());
}

const statuses = { finished: 1, failed: 2, stopped: 2 } as const;

/** Ends it. */
export function sessionEndValue(status: keyof typeof statuses, endSeconds: number): Uint8Array {
  const writer = new BinaryWriter().tag(1, WireType.Varint).int32(statuses[status]);
  return hparamsValue('_hparams_/session_end_info', 4, double(writer, 2, endSeconds).finish());
}
