// Spans of OpenTelemetry as protobuf, read into the JSON of OTLP, and the answer to them.
// Source: opentelemetry-proto, collector/trace/v1/trace_service.proto, trace/v1/trace.proto, resource/v1, common/v1; ids as
// hexadecimal digits, 64-bit integers as texts and bytes in base64, as the JSON mapping of the OTLP specification says.
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

type Json = Record<string, unknown>;

interface Field {
  name: string;
  wire: WireType;
  isList: boolean;
  read: (reader: BinaryReader, place: Place) => unknown;
}
type Table = Readonly<Record<number, Field>>;

interface Place {
  level: number;
  /** Fields of the whole message that may still be read. */
  left: { fields: number };
}

/** As many levels as protobuf's own readers take. */
const MOST_LEVELS = 100;

/** As many values as a body of JSON may have. */
const MOST_FIELDS = 250_000;

const field = (name: string, wire: WireType, read: Field['read']): Field => ({ name, wire, isList: false, read });
const bytes = (name: string, encoding: BufferEncoding) =>
  field(name, WireType.LengthDelimited, (reader) => Buffer.from(reader.bytes()).toString(encoding));
const text = (name: string) => field(name, WireType.LengthDelimited, (reader) => reader.string());
const time = (name: string) => field(name, WireType.Bit64, (reader) => String(reader.fixed64()));
const integer = (name: string) => field(name, WireType.Varint, (reader) => reader.int32());
/** @param table a function, since values contain values */
const message = (name: string, table: () => Table) =>
  field(name, WireType.LengthDelimited, (reader, { level, left }) =>
    readMessage(table(), new BinaryReader(reader.bytes()), { level: level + 1, left }),
  );
const list = (name: string, table: () => Table): Field => ({ ...message(name, table), isList: true });

const anyValue: Table = {
  1: text('stringValue'),
  2: field('boolValue', WireType.Varint, (reader) => reader.bool()),
  3: field('intValue', WireType.Varint, (reader) => String(reader.int64())),
  4: field('doubleValue', WireType.Bit64, (reader) => reader.double()),
  5: message('arrayValue', () => ({ 1: list('values', () => anyValue) })),
  6: message('kvlistValue', () => ({ 1: list('values', () => keyValue) })),
  7: bytes('bytesValue', 'base64'),
};
const keyValue: Table = { 1: text('key'), 2: message('value', () => anyValue) };
const attributes = list('attributes', () => keyValue);

const event: Table = { 1: time('timeUnixNano'), 2: text('name'), 3: attributes };
const span: Table = {
  1: bytes('traceId', 'hex'),
  2: bytes('spanId', 'hex'),
  4: bytes('parentSpanId', 'hex'),
  5: text('name'),
  6: integer('kind'),
  7: time('startTimeUnixNano'),
  8: time('endTimeUnixNano'),
  9: attributes,
  11: list('events', () => event),
  15: message('status', () => ({ 2: text('message'), 3: integer('code') })),
};
const scope: Table = { 1: text('name'), 2: text('version') };
const scopeSpans: Table = { 1: message('scope', () => scope), 2: list('spans', () => span) };
const resourceSpans: Table = {
  1: message('resource', () => ({ 1: attributes })),
  2: list('scopeSpans', () => scopeSpans),
};
const request: Table = { 1: list('resourceSpans', () => resourceSpans) };

/** @throws if the bytes are not such a message, or have too many levels or values */
export const readTraces = (content: Uint8Array): Json => ({
  resourceSpans: [],
  ...readMessage(request, new BinaryReader(content), { level: 0, left: { fields: MOST_FIELDS } }),
});

/** Fields that no table has are skipped, as receivers of OTLP must. */
function readMessage(table: Table, reader: BinaryReader, place: Place): Json {
  if (place.level > MOST_LEVELS) throw new Error(`it has more than ${MOST_LEVELS} levels`);
  const json: Json = {};
  while (reader.pos < reader.len) {
    if (--place.left.fields < 0) throw new Error(`it has more than ${MOST_FIELDS} values`);
    const [number, wire] = reader.tag();
    const known = table[number] as Field | undefined;
    if (known?.wire !== wire) {
      reader.skip(wire, number);
      continue;
    }
    const value = known.read(reader, place);
    if (known.isList) ((json[known.name] ??= []) as unknown[]).push(value);
    else json[known.name] = value;
  }
  return json;
}

/** ExportTraceServiceResponse. */
export function writeTracesAnswer(rejected: { rejectedSpans: number; errorMessage: string } | null): Uint8Array {
  const writer = new BinaryWriter();
  if (rejected !== null) {
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.Varint).int64(rejected.rejectedSpans);
    writer.tag(2, WireType.LengthDelimited).string(rejected.errorMessage).join();
  }
  return writer.finish();
}
