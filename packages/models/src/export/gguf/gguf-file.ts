// Writes a GGUF file as a stream: a header with all metadata and the descriptions of the tensors, then one tensor after the other.
// Source of the format: docs/gguf.md of ggml-org/ggml, version 3; everything is little-endian:
//   "GGUF", version, number of tensors, number of entries | entries | descriptions | padding | tensors, each aligned
import { ggufBytesOf, ggufValueCodes } from '@bowyer/checkpoints';
import type { TensorType } from './tensor-types.js';

const VERSION = 3;
const ALIGNMENT = 32;

export type Entry =
  | { type: 'uint32' | 'int32' | 'float32'; value: number }
  | { type: 'bool'; value: boolean }
  | { type: 'string'; value: string }
  | { type: 'strings'; value: readonly string[] }
  | { type: 'float32s' | 'int32s'; value: readonly number[] }
  | { type: 'bools'; value: readonly boolean[] }
  | { type: 'bytes'; value: Uint8Array };

export type Entries = Record<string, Entry>;

/** A tensor of the file; its numbers are read and encoded only when it is written. */
export interface GgufTensor {
  name: string;
  /** In row-major order, the innermost size last. */
  shape: readonly number[];
  type: TensorType;
  /** Yields the encoded numbers in pieces, which have the size of `shape` and `type` in total. */
  pieces(): AsyncIterable<Uint8Array>;
}

export const count = (value: number): Entry => ({ type: 'uint32', value });
export const real = (value: number): Entry => ({ type: 'float32', value });
export const text = (value: string): Entry => ({ type: 'string', value });
export const flag = (value: boolean): Entry => ({ type: 'bool', value });

export async function* ggufBytes(metadata: Entries, tensors: readonly GgufTensor[]): AsyncGenerator<Uint8Array> {
  const header = headerBytes({ ...metadata, 'general.alignment': count(ALIGNMENT) }, tensors);
  yield header;
  yield padding(header.length);
  for (const tensor of tensors) {
    let written = 0;
    for await (const piece of tensor.pieces()) {
      written += piece.length;
      yield piece;
    }
    const expected = ggufBytesOf(tensor.type, tensor.shape);
    if (written !== expected)
      throw new RangeError(`ggufBytes: ${tensor.name} has ${written} bytes, its description says ${expected}`);
    yield padding(written);
  }
}

function headerBytes(metadata: Entries, tensors: readonly GgufTensor[]): Uint8Array {
  const parts: Uint8Array[] = [
    Buffer.from('GGUF'),
    uint32(VERSION),
    uint64(tensors.length),
    uint64(Object.keys(metadata).length),
  ];
  for (const [key, entry] of Object.entries(metadata)) parts.push(string(key), value(entry));
  let offset = 0;
  for (const { name, shape, type } of tensors) {
    // GGUF lists the innermost size first, the opposite order of Hugging Face's files.
    const sizes = [...shape].reverse().map(uint64);
    parts.push(string(name), uint32(shape.length), Buffer.concat(sizes), uint32(type.code), uint64(offset));
    offset += aligned(ggufBytesOf(type, shape));
  }
  return Buffer.concat(parts);
}

const aligned = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
const padding = (bytes: number) => new Uint8Array(aligned(bytes) - bytes);

function value(entry: Entry): Uint8Array {
  switch (entry.type) {
    case 'uint32':
    case 'int32':
      return Buffer.concat([uint32(ggufValueCodes[entry.type]), new Uint8Array(Int32Array.of(entry.value).buffer)]);
    case 'float32':
      return Buffer.concat([uint32(ggufValueCodes.float32), new Uint8Array(Float32Array.of(entry.value).buffer)]);
    case 'bool':
      return Buffer.concat([uint32(ggufValueCodes.bool), Uint8Array.of(Number(entry.value))]);
    case 'string':
      return Buffer.concat([uint32(ggufValueCodes.string), string(entry.value)]);
    case 'strings':
      return array(ggufValueCodes.string, entry.value.length, Buffer.concat(entry.value.map(string)));
    case 'float32s':
      return array(ggufValueCodes.float32, entry.value.length, new Uint8Array(Float32Array.from(entry.value).buffer));
    case 'int32s':
      return array(ggufValueCodes.int32, entry.value.length, new Uint8Array(Int32Array.from(entry.value).buffer));
    case 'bools':
      return array(ggufValueCodes.bool, entry.value.length, Uint8Array.from(entry.value, Number));
    case 'bytes':
      return array(ggufValueCodes.uint8, entry.value.length, entry.value);
  }
}

const array = (element: number, length: number, elements: Uint8Array) =>
  Buffer.concat([uint32(ggufValueCodes.array), uint32(element), uint64(length), elements]);
const uint32 = (number: number) => new Uint8Array(Uint32Array.of(number).buffer);
const uint64 = (number: number) => new Uint8Array(BigUint64Array.of(BigInt(number)).buffer);

function string(content: string): Uint8Array {
  const bytes = Buffer.from(content);
  return Buffer.concat([uint64(bytes.length), bytes]);
}
