// Encodes protobuf messages by tables of their fields.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Field, Fields, Message, MessageType, NamedField, UnknownField } from './message-type.js';
import { string, type Scalar } from './scalars.js';

/** Encodes fields in the order of their numbers, as the official writers do. */
export function encode<Table extends Fields>(
  type: MessageType<Table>,
  message: Message<Table>,
): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  writeMessage(writer, type, message);
  return writer.finish();
}

/** Encodes tag and length (below 2³²) of a field whose content is written separately. */
export const lengthPrefix = (number: number, length: number): Uint8Array =>
  new BinaryWriter().tag(number, WireType.LengthDelimited).uint32(length).finish();

function writeMessage(writer: BinaryWriter, type: MessageType<Fields>, message: object): void {
  const { unknown = [] } = message as { unknown?: readonly UnknownField[] };
  let next = 0;
  for (const field of type.byNumber.values()) {
    while (next < unknown.length && unknown[next].number < field.number) writer.raw(unknown[next++].bytes);
    const value = (message as Record<string, unknown>)[field.name];
    if (value !== undefined) writeField(writer, field, value);
  }
  for (; next < unknown.length; next++) writer.raw(unknown[next].bytes);
}

function writeField(writer: BinaryWriter, { number, kind, arity }: NamedField, value: unknown): void {
  if (arity === 'map') writeMap(writer, { number, kind, arity }, value as object);
  else if (arity === 'many' && isPacked(kind)) writePacked(writer, number, kind, value as unknown[]);
  else if (arity === 'many') for (const item of value as unknown[]) writeValue(writer, number, kind, item);
  else if (arity === 'optional' || !isZero(kind, value)) writeValue(writer, number, kind, value);
}

const isScalar = (kind: Field['kind']): kind is Scalar<unknown> => 'wire' in kind;

/** Returns whether a repeated field of this kind is packed; texts, bytes and messages are separate fields. */
export const isPacked = (kind: Field['kind']): kind is Scalar<unknown> =>
  isScalar(kind) && kind.wire !== WireType.LengthDelimited;

const isZero = (kind: Field['kind'], value: unknown): boolean =>
  isScalar(kind) && (value === kind.zero || (value instanceof Uint8Array && value.length === 0));

function writePacked(writer: BinaryWriter, number: number, kind: Scalar<unknown>, values: readonly unknown[]): void {
  if (values.length === 0) return;
  writer.tag(number, WireType.LengthDelimited).fork();
  for (const value of values) kind.write(writer, value);
  writer.join();
}

function writeMap(writer: BinaryWriter, { number, kind }: Field, entries: object): void {
  for (const [key, value] of Object.entries(entries)) {
    writer.tag(number, WireType.LengthDelimited).fork();
    writeValue(writer, 1, string, key);
    writeValue(writer, 2, kind, value);
    writer.join();
  }
}

function writeValue(writer: BinaryWriter, number: number, kind: Field['kind'], value: unknown): void {
  if (isScalar(kind)) {
    kind.write(writer.tag(number, kind.wire), value);
    return;
  }
  writer.tag(number, WireType.LengthDelimited).fork();
  writeMessage(writer, 'later' in kind ? kind.later() : kind, value as object);
  writer.join();
}
