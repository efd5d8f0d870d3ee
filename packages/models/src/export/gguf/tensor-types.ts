// Encodes numbers in the tensor types of GGUF files. A block has 32 or 256 numbers of one row.
// Source: ggml-quants.c of ggml-org/llama.cpp, the functions quantize_row_…_ref; calculated in float32, as there.
import { ggufTypes, type GgufType } from '@bowyer/checkpoints';
import { toFloat16 } from '@bowyer/graph';
import { bytesOf, float16Bytes } from '../float-bytes.js';
import { encodeQ4K } from './q4-k.js';

export interface TensorType extends GgufType {
  encode(numbers: Float32Array): Uint8Array;
}

const BLOCK = 32;

const f32: TensorType = { ...ggufTypes.f32, encode: bytesOf };
const f16: TensorType = { ...ggufTypes.f16, encode: (numbers) => float16Bytes(numbers, 'use bf16 or f32') };
const bf16: TensorType = { ...ggufTypes.bf16, encode: (numbers) => bytesOf(bfloat16(numbers)) };
const q8_0: TensorType = { ...ggufTypes.q8_0, encode: (numbers) => inBlocks(numbers, q8_0, block8) };
const q4_0: TensorType = { ...ggufTypes.q4_0, encode: (numbers) => inBlocks(numbers, q4_0, block4) };
const q4_k: TensorType = { ...ggufTypes.q4_k, encode: encodeQ4K };

export const tensorTypes = { f32, f16, bf16, q8_0, q4_0, q4_k };

export type TensorTypeName = keyof typeof tensorTypes;

/** The values of the metadata entry `general.file_type` by the type of the matrices. */
export const fileTypes: Readonly<Record<TensorTypeName, number>> = {
  f32: 0,
  f16: 1,
  q4_0: 2,
  q8_0: 7,
  q4_k: 14,
  bf16: 32,
};

/** Rounds each float32 to bfloat16, ties to even. */
function bfloat16(numbers: Float32Array): Uint16Array {
  const words = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  const half = new Uint16Array(numbers.length);
  for (let i = 0; i < half.length; i++) half[i] = (words[i] + 0x7fff + ((words[i] >>> 16) & 1)) >>> 16;
  return half;
}

/** Writes the codes of a block that begins at index `from` to `target`. @returns the block's scale */
type EncodeBlock = (numbers: Float32Array, from: number, target: Uint8Array) => number;

/** Encodes blocks: the scale of each in float16, then its codes. */
function inBlocks(numbers: Float32Array, { blockBytes }: TensorType, encode: EncodeBlock): Uint8Array {
  const blocks = numbers.length / BLOCK;
  const result = new Uint8Array(blocks * blockBytes);
  const scales = new Float32Array(blocks);
  for (let i = 0; i < blocks; i++)
    scales[i] = encode(numbers, i * BLOCK, result.subarray(i * blockBytes + 2, (i + 1) * blockBytes));
  const halves = toFloat16(scales);
  const view = new DataView(result.buffer);
  for (let i = 0; i < blocks; i++) view.setUint16(i * blockBytes, halves[i], true);
  return result;
}

const { fround } = Math;

/** Rounds like C's roundf, halves away from zero. */
const rounded = (x: number) => (x < 0 ? -Math.floor(0.5 - x) : Math.floor(x + 0.5));

/** Encodes a block in 8 bits: scale = max |x| / 127; codes are round(x / scale) as int8. */
function block8(numbers: Float32Array, from: number, target: Uint8Array): number {
  let largest = 0;
  for (let i = from; i < from + BLOCK; i++) largest = Math.max(largest, Math.abs(numbers[i]));
  const scale = fround(largest / 127);
  const inverse = scale === 0 ? 0 : fround(1 / scale);
  for (let i = 0; i < BLOCK; i++) target[i] = rounded(fround(numbers[from + i] * inverse));
  return scale;
}

/**
 * Encodes a block in 4 bits: scale = x / −8, where x has the largest |x|; codes are ⌊x / scale + 8.5⌋, at most 15. Byte i has the
 * codes of numbers i and i + 16.
 */
function block4(numbers: Float32Array, from: number, target: Uint8Array): number {
  let largest = 0;
  for (let i = from; i < from + BLOCK; i++) if (Math.abs(numbers[i]) > Math.abs(largest)) largest = numbers[i];
  const scale = fround(largest / -8);
  const inverse = scale === 0 ? 0 : fround(1 / scale);
  const code = (i: number) => Math.min(15, Math.trunc(fround(fround(numbers[from + i] * inverse) + 8.5)));
  for (let i = 0; i < BLOCK / 2; i++) target[i] = code(i) | (code(i + BLOCK / 2) << 4);
  return scale;
}
