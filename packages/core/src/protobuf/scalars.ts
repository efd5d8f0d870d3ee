// Defines the reading and writing of protobuf's numbers, texts and bytes.
// Source: https://protobuf.dev/programming-guides/encoding/
import { WireType, type BinaryReader, type BinaryWriter } from '@bufbuild/protobuf/wire';

/** A kind of field that is not a message. */
export interface Scalar<T> {
  wire: WireType;
  /** The value of an absent field without presence. */
  zero: T;
  read: (reader: BinaryReader) => T;
  write: (writer: BinaryWriter, value: T) => void;
}

const { Varint, Bit32, Bit64, LengthDelimited } = WireType;

export const string: Scalar<string> = {
  wire: LengthDelimited,
  zero: '',
  read: (reader) => reader.string(),
  write: (writer, value) => writer.string(value),
};

/** Bytes; those that are read are a view of the message's bytes. */
export const bytes: Scalar<Uint8Array> = {
  wire: LengthDelimited,
  zero: new Uint8Array(),
  read: (reader) => reader.bytes(),
  write: (writer, value) => writer.bytes(value),
};

export const bool: Scalar<boolean> = {
  wire: Varint,
  zero: false,
  read: (reader) => reader.bool(),
  write: (writer, value) => writer.bool(value),
};

export const int32: Scalar<number> = {
  wire: Varint,
  zero: 0,
  read: (reader) => reader.int32(),
  write: (writer, value) => writer.int32(value),
};

/** A safe integer; a larger number is an error. */
export const int64: Scalar<number> = {
  wire: Varint,
  zero: 0,
  read: (reader) => safeInteger(reader.int64()),
  write: (writer, value) => writer.int64(value),
};

/** An integer of any size, as decimal digits. */
export const int64Text: Scalar<string> = {
  wire: Varint,
  zero: '0',
  read: (reader) => String(reader.int64()),
  write: (writer, value) => writer.int64(value),
};

export const fixed64Text: Scalar<string> = {
  wire: Bit64,
  zero: '0',
  read: (reader) => String(reader.fixed64()),
  write: (writer, value) => writer.fixed64(value),
};

export const double: Scalar<number> = {
  wire: Bit64,
  zero: 0,
  read: (reader) => reader.double(),
  write: (writer, value) => writer.double(value),
};

export const float: Scalar<number> = {
  wire: Bit32,
  zero: 0,
  read: (reader) => reader.float(),
  write: (writer, value) => writer.float(value),
};

/** Declares bytes that are represented as a text in this encoding. */
export const encodedBytes = (encoding: 'hex' | 'base64'): Scalar<string> => ({
  wire: LengthDelimited,
  zero: '',
  read: (reader) => Buffer.from(reader.bytes()).toString(encoding),
  write: (writer, value) => writer.bytes(Buffer.from(value, encoding)),
});

function safeInteger(value: string | bigint | number): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`the number ${value} is too large`);
  return number;
}
