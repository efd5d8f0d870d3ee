// Protobuf messages from tables of their fields (proto3). A field that no table has is refused: what it asks for would not be done.
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

type ScalarKind = 'string' | 'bytes' | 'int32' | 'int64' | 'bool' | 'double';
type Kind = ScalarKind | MessageType<Fields>;
type Arity = 'one' | 'many' | 'map';

interface Field {
  number: number;
  kind: Kind;
  arity: Arity;
}
export type Fields = Readonly<Record<string, Field>>;

export interface MessageType<Table extends Fields> {
  name: string;
  fields: Table;
}

type ValueOf<K> = K extends 'string'
  ? string
  : K extends 'bytes'
    ? Uint8Array
    : K extends 'bool'
      ? boolean
      : K extends ScalarKind
        ? number
        : K extends MessageType<infer Table>
          ? Message<Table>
          : never;

type FieldValue<F> = F extends { kind: infer K; arity: infer A }
  ? A extends 'many'
    ? ValueOf<K>[]
    : A extends 'map'
      ? Record<string, ValueOf<K>>
      : ValueOf<K>
  : never;

/** A message as an object. A field that was not sent is absent, as is one of a oneof that another field has. */
export type Message<Table extends Fields> = { -readonly [K in keyof Table]?: FieldValue<Table[K]> };
export type MessageOf<T> = T extends MessageType<infer Table> ? Message<Table> : never;

export const one = <const K extends Kind>(number: number, kind: K) => ({ number, kind, arity: 'one' }) as const;
export const many = <const K extends Kind>(number: number, kind: K) => ({ number, kind, arity: 'many' }) as const;
/** With texts as keys. */
export const map = <const K extends Kind>(number: number, kind: K) => ({ number, kind, arity: 'map' }) as const;
export const messageType = <const Table extends Fields>(name: string, fields: Table): MessageType<Table> => ({
  name,
  fields,
});

/** The bytes are not a message of their type. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
}

export function encode<Table extends Fields>(type: MessageType<Table>, message: Message<Table>): Uint8Array {
  const writer = new BinaryWriter();
  writeMessage(writer, type, message);
  return writer.finish();
}

function writeMessage(writer: BinaryWriter, type: MessageType<Fields>, message: object): void {
  for (const [name, field] of Object.entries(type.fields).sort(([, a], [, b]) => a.number - b.number)) {
    const value = (message as Record<string, unknown>)[name];
    if (value !== undefined) writeField(writer, field, value);
  }
}

/** A scalar that is given is written, also at its default: whether it is there has a meaning in optional fields. */
function writeField(writer: BinaryWriter, { number, kind, arity }: Field, value: unknown): void {
  if (arity === 'one') writeValue(writer, number, kind, value);
  else if (arity === 'map')
    for (const [key, item] of Object.entries(value as object)) {
      writer.tag(number, WireType.LengthDelimited).fork();
      writer.tag(1, WireType.LengthDelimited).string(key);
      writeValue(writer, 2, kind, item);
      writer.join();
    }
  else if (isPacked(kind)) {
    writer.tag(number, WireType.LengthDelimited).fork();
    for (const item of value as number[])
      if (kind === 'int32') writer.int32(item);
      else writer.int64(item);
    writer.join();
  } else for (const item of value as unknown[]) writeValue(writer, number, kind, item);
}

const isPacked = (kind: Kind): kind is 'int32' | 'int64' => kind === 'int32' || kind === 'int64';

function writeValue(writer: BinaryWriter, number: number, kind: Kind, value: unknown): void {
  if (typeof kind === 'object') {
    writer.tag(number, WireType.LengthDelimited).fork();
    writeMessage(writer, kind, value as object);
    writer.join();
  } else if (kind === 'string') writer.tag(number, WireType.LengthDelimited).string(value as string);
  else if (kind === 'bytes') writer.tag(number, WireType.LengthDelimited).bytes(value as Uint8Array);
  else if (kind === 'double') writer.tag(number, WireType.Bit64).double(value as number);
  else if (kind === 'bool') writer.tag(number, WireType.Varint).bool(value as boolean);
  else writer.tag(number, WireType.Varint)[kind](value as number);
}

/** @throws {MessageError} if the bytes are not such a message, or have fields that the table has not */
export function decode<Table extends Fields>(type: MessageType<Table>, bytes: Uint8Array): Message<Table> {
  try {
    return readMessage(type, new BinaryReader(bytes)) as Message<Table>;
  } catch (error) {
    if (error instanceof MessageError) throw error;
    throw new MessageError(`the body is no ${type.name}: ${(error as Error).message}`);
  }
}

function readMessage(type: MessageType<Fields>, reader: BinaryReader, end = reader.len): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  const byNumber = new Map(Object.entries(type.fields).map(([name, field]) => [field.number, { name, ...field }]));
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = byNumber.get(number);
    if (field === undefined)
      throw new MessageError(`${type.name} has the field ${number}, which this server does not know`);
    const expected = wireTypeOf(field);
    const isPackedMany = field.arity === 'many' && isPacked(field.kind) && wireType === WireType.LengthDelimited;
    if (!isPackedMany && wireType !== expected)
      throw new MessageError(`${type.name}.${field.name} has the wire type ${wireType}, not ${expected}`);
    readField(reader, field, message, isPackedMany);
  }
  if (reader.pos > end) throw new MessageError(`${type.name} is longer than its field`);
  return message;
}

function wireTypeOf({ kind, arity }: Field): WireType {
  if (arity === 'map' || typeof kind === 'object' || kind === 'string' || kind === 'bytes')
    return WireType.LengthDelimited;
  return kind === 'double' ? WireType.Bit64 : WireType.Varint;
}

function readField(
  reader: BinaryReader,
  { name, kind, arity }: Field & { name: string },
  message: Record<string, unknown>,
  isPackedMany: boolean,
): void {
  if (isPackedMany) {
    const packed = new BinaryReader(reader.bytes());
    const values = ((message[name] as unknown[] | undefined) ?? (message[name] = [])) as unknown[];
    while (packed.pos < packed.len) values.push(readValue(packed, kind));
  } else if (arity === 'many') {
    ((message[name] ??= []) as unknown[]).push(readValue(reader, kind));
  } else if (arity === 'map') {
    const entry = readMessage(entryOf(kind), new BinaryReader(reader.bytes()));
    const entries = (message[name] ??= Object.create(null)) as Record<string, unknown>;
    entries[String(entry.key ?? '')] = entry.value ?? (typeof kind === 'object' ? {} : kind === 'string' ? '' : 0);
  } else message[name] = readValue(reader, kind);
}

const entryOf = (kind: Kind): MessageType<Fields> =>
  messageType('a map’s entry', { key: one(1, 'string'), value: one(2, kind) });

function readValue(reader: BinaryReader, kind: Kind): unknown {
  if (typeof kind === 'object') return readMessage(kind, new BinaryReader(reader.bytes()));
  if (kind === 'int64') return safeInteger(reader.int64());
  return reader[kind]();
}

function safeInteger(value: string | bigint | number): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new MessageError(`the number ${value} is too large`);
  return number;
}
