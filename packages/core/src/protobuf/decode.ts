// Decodes protobuf messages by tables of their fields.
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { isPacked } from './encode.js';
import { entryType, type Field, type Fields, type Message, type MessageType, type NamedField } from './message-type.js';
import type { Scalar } from './scalars.js';

export interface DecodeOptions {
  /** The treatment of fields that are not in the table, or have another wire type: an error, skipped, or kept in `unknown`. */
  unknown: 'refused' | 'skipped' | 'kept';
  /** The most fields of the whole message, including nested ones and each packed number; unlimited if not given. */
  mostFields?: number;
}

/** Thrown for bytes that are not a message of the expected type. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
}

/** The largest number of nested levels, as in protobuf's own readers. */
const MOST_LEVELS = 100;

/**
 * @throws {MessageError} if the bytes are not such a message, exceed the limits of fields or levels, or contain refused fields
 */
export function decode<Table extends Fields>(
  type: MessageType<Table>,
  bytes: Uint8Array,
  options: DecodeOptions = { unknown: 'refused' },
): Message<Table> {
  const reading = new Reading(options);
  const message = {};
  try {
    reading.message(type, bytes, message);
  } catch (error) {
    throw new MessageError(`the bytes are not of the type ${type.name}: ${(error as Error).message}`);
  }
  return message;
}

/** Decodes as many fields as possible up to a limit; unknown fields are skipped. */
export function decodeBeginning<Table extends Fields>(
  type: MessageType<Table>,
  bytes: Uint8Array,
  mostFields: number,
): Message<Table> {
  const message = {};
  try {
    new Reading({ unknown: 'skipped', mostFields }).message(type, bytes, message);
  } catch {
    return message;
  }
  return message;
}

type Values = Record<string, unknown>;

class Reading {
  #level = 0;
  #fieldsLeft: number;

  constructor(private readonly options: DecodeOptions) {
    this.#fieldsLeft = options.mostFields ?? Infinity;
  }

  /** Reads the fields of a message. `into` receives the fields as they are read. */
  message(type: MessageType<Fields>, bytes: Uint8Array, into: Values): Values {
    if (++this.#level > MOST_LEVELS) throw new Error(`it has more than ${MOST_LEVELS} levels`);
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      this.#count();
      const start = reader.pos;
      const [number, wire] = reader.tag();
      const field = type.byNumber.get(number);
      const packed = field && packedKind(field, wire);
      if (packed) this.#packed(into, field, packed, reader.bytes());
      else if (field && wireTypeOf(field) === wire) this.#field(reader, field, into);
      else this.#unknown(type, reader, number, wire, () => bytes.slice(start, reader.pos), into);
    }
    this.#level--;
    return into;
  }

  #count(): void {
    if (--this.#fieldsLeft < 0) throw new Error(`it has more than ${this.options.mostFields} values`);
  }

  #packed(into: Values, { name }: NamedField, kind: Scalar<unknown>, bytes: Uint8Array): void {
    const values = (into[name] ??= []) as unknown[];
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      this.#count();
      values.push(kind.read(reader));
    }
  }

  #field(reader: BinaryReader, { name, kind, arity }: NamedField, into: Values): void {
    if (arity === 'many') ((into[name] ??= []) as unknown[]).push(this.#value(reader, kind));
    else if (arity === 'map') {
      const { key = '', value = zeroOf(kind) } = this.message(entryType(kind), reader.bytes(), {});
      ((into[name] ??= Object.create(null)) as Values)[key as string] = value;
    } else into[name] = this.#value(reader, kind);
  }

  #value(reader: BinaryReader, kind: Field['kind']): unknown {
    if ('wire' in kind) return kind.read(reader);
    return this.message('later' in kind ? kind.later() : kind, reader.bytes(), {});
  }

  #unknown(
    { name, byNumber }: MessageType<Fields>,
    reader: BinaryReader,
    number: number,
    wire: WireType,
    read: () => Uint8Array,
    into: Values,
  ): void {
    const known = byNumber.get(number);
    if (this.options.unknown === 'refused')
      throw new Error(
        known
          ? `${name}.${known.name} has the wire type ${wire}, not ${wireTypeOf(known)}`
          : `${name} has the field ${number}, which is not known`,
      );
    reader.skip(wire, number);
    if (this.options.unknown === 'kept') ((into.unknown ??= []) as object[]).push({ number, bytes: read() });
  }
}

const packedKind = ({ kind, arity }: Field, wire: WireType): Scalar<unknown> | null =>
  arity === 'many' && wire === WireType.LengthDelimited && isPacked(kind) ? kind : null;

const wireTypeOf = ({ kind, arity }: Field): WireType =>
  arity !== 'map' && 'wire' in kind ? kind.wire : WireType.LengthDelimited;

const zeroOf = (kind: Field['kind']): unknown => ('wire' in kind ? kind.zero : {});
