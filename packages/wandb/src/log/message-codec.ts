// Protobuf messages from a table of their fields. Fields that a table lacks are kept as they are, so that a message which is
// read and written again has the same bytes.
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** Varint kinds are numbers and booleans; an int64 must be a safe integer. */
type ScalarKind = 'string' | 'int32' | 'int64' | 'bool' | 'double';
type Kind = ScalarKind | MessageType<Fields>;
interface Field {
  number: number;
  kind: Kind;
  repeated: boolean;
}
export type Fields = Readonly<Record<string, Field>>;

export interface MessageType<Table extends Fields> {
  fields: Table;
}

type ValueOf<K> = K extends 'string'
  ? string
  : K extends 'bool'
    ? boolean
    : K extends ScalarKind
      ? number
      : K extends MessageType<infer Table>
        ? Message<Table>
        : never;

type FieldValue<F> = F extends { kind: infer K; repeated: infer R }
  ? R extends true
    ? ValueOf<K>[]
    : ValueOf<K>
  : never;

/** A message as an object; a field that is absent has the default of proto3. `unknown` has the fields of no table. */
export type Message<Table extends Fields> = { -readonly [K in keyof Table]?: FieldValue<Table[K]> } & {
  unknown?: UnknownField[];
};

interface UnknownField {
  number: number;
  /** The field's bytes, with the tag. */
  bytes: Uint8Array;
}

export const one = <const K extends Kind>(number: number, kind: K) => ({ number, kind, repeated: false }) as const;
export const many = <const K extends Kind>(number: number, kind: K) => ({ number, kind, repeated: true }) as const;
export const messageType = <const Table extends Fields>(fields: Table): MessageType<Table> => ({ fields });

/** Fields in the order of their numbers, as the official writers have them. */
export function encode<Table extends Fields>(
  type: MessageType<Table>,
  message: Message<Table>,
): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  writeMessage(writer, type, message);
  return writer.finish();
}

function writeMessage(writer: BinaryWriter, type: MessageType<Fields>, message: { unknown?: UnknownField[] }): void {
  const unknown = [...(message.unknown ?? [])];
  for (const field of sorted(type)) {
    while (unknown.length > 0 && unknown[0].number < field.number) writer.raw(unknown.shift()!.bytes);
    writeField(writer, field, message);
  }
  for (const { bytes } of unknown) writer.raw(bytes);
}

interface NamedField extends Field {
  name: string;
}

const sortedFields = new WeakMap<object, NamedField[]>();

function sorted(type: MessageType<Fields>): NamedField[] {
  const known = sortedFields.get(type);
  if (known !== undefined) return known;
  const fields = Object.entries(type.fields).map(([name, field]) => ({ name, ...field }));
  sortedFields.set(
    type,
    fields.sort((a, b) => a.number - b.number),
  );
  return fields;
}

function writeField(writer: BinaryWriter, { name, number, kind, repeated }: NamedField, message: object): void {
  const value = (message as Record<string, unknown>)[name];
  if (value === undefined) return;
  if (repeated) for (const item of value as unknown[]) writeValue(writer, number, kind, item);
  // proto3: a scalar at its default is not written; a message is, even if it is empty.
  else if (typeof kind === 'object' || (value !== 0 && value !== '' && value !== false))
    writeValue(writer, number, kind, value);
}

function writeValue(writer: BinaryWriter, number: number, kind: Kind, value: unknown): void {
  if (typeof kind === 'object') {
    writer.tag(number, WireType.LengthDelimited).fork();
    writeMessage(writer, kind, value as object);
    writer.join();
  } else if (kind === 'string') writer.tag(number, WireType.LengthDelimited).string(value as string);
  else if (kind === 'double') writer.tag(number, WireType.Bit64).double(value as number);
  else if (kind === 'bool') writer.tag(number, WireType.Varint).bool(value as boolean);
  else writer.tag(number, WireType.Varint)[kind](value as number);
}

/** @throws if the bytes are not a message */
export function decode<Table extends Fields>(type: MessageType<Table>, bytes: Uint8Array): Message<Table> {
  const reader = new BinaryReader(bytes);
  const message: Record<string, unknown> & { unknown?: UnknownField[] } = {};
  const byNumber = new Map(sorted(type).map((field) => [field.number, field]));
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [number, wireType] = reader.tag();
    const field = byNumber.get(number);
    if (field === undefined) {
      reader.skip(wireType, number);
      (message.unknown ??= []).push({ number, bytes: bytes.slice(start, reader.pos) });
      continue;
    }
    const value = readValue(reader, field.kind);
    if (field.repeated) ((message[field.name] ??= []) as unknown[]).push(value);
    else message[field.name] = value;
  }
  return message as Message<Table>;
}

function readValue(reader: BinaryReader, kind: Kind): unknown {
  if (typeof kind === 'object') return decode(kind, reader.bytes());
  if (kind === 'int64') return Number(reader.int64());
  return reader[kind]();
}
