// Decodes the tensor types of GGUF: their codes, blocks and decoders. A block is 32 or 256 numbers of a row. Source: ggml-common.h and
// ggml-quants.c of ggml-org/llama.cpp, the functions dequantize_row_…, with the same float32 arithmetic.
import { float16Value } from '../io/half-precision.js';
import { MXFP4_CODES } from '../io/mxfp4.js';

export interface GgufType {
  /** The type's code in the description of a tensor. */
  code: number;
  /** The number of values that are encoded together in a block, and the block's size in bytes. */
  block: number;
  blockBytes: number;
}

/** The tensor types that can be decoded, by their names in llama.cpp, in lower case. */
export const ggufTypes = {
  f32: { code: 0, block: 1, blockBytes: 4 },
  f16: { code: 1, block: 1, blockBytes: 2 },
  q4_0: { code: 2, block: 32, blockBytes: 18 },
  q4_1: { code: 3, block: 32, blockBytes: 20 },
  q5_0: { code: 6, block: 32, blockBytes: 22 },
  q5_1: { code: 7, block: 32, blockBytes: 24 },
  q8_0: { code: 8, block: 32, blockBytes: 34 },
  q2_k: { code: 10, block: 256, blockBytes: 84 },
  q3_k: { code: 11, block: 256, blockBytes: 110 },
  q4_k: { code: 12, block: 256, blockBytes: 144 },
  q5_k: { code: 13, block: 256, blockBytes: 176 },
  q6_k: { code: 14, block: 256, blockBytes: 210 },
  bf16: { code: 30, block: 1, blockBytes: 2 },
  mxfp4: { code: 39, block: 32, blockBytes: 17 },
} as const satisfies Record<string, GgufType>;

export type GgufTypeName = keyof typeof ggufTypes;

/** Decodes the block at byte `at` into `numbers`, from index `to` on. */
type DecodeBlock = (bytes: DataView, at: number, numbers: Float32Array, to: number) => void;

const { fround } = Math;
const half = (bytes: DataView, at: number) => float16Value(bytes.getUint16(at, true));

/** Calls `decode` with each code of a block of 32 numbers: byte i has the 4-bit codes of numbers i (low bits) and i + 16. */
function codes4(bytes: DataView, at: number, decode: (code: number, i: number) => void): void {
  for (let i = 0; i < 16; i++) {
    const byte = bytes.getUint8(at + i);
    decode(byte & 15, i);
    decode(byte >> 4, i + 16);
  }
}

const q4_0: DecodeBlock = (bytes, at, numbers, to) => {
  const scale = half(bytes, at);
  codes4(bytes, at + 2, (code, i) => (numbers[to + i] = scale * (code - 8)));
};

const q4_1: DecodeBlock = (bytes, at, numbers, to) => {
  const [scale, min] = [half(bytes, at), half(bytes, at + 2)];
  codes4(bytes, at + 4, (code, i) => (numbers[to + i] = fround(scale * code) + min));
};

const q5_0: DecodeBlock = (bytes, at, numbers, to) => {
  const [scale, fifth] = [half(bytes, at), bytes.getUint32(at + 2, true)];
  codes4(bytes, at + 6, (code, i) => (numbers[to + i] = scale * ((code | (((fifth >>> i) & 1) << 4)) - 16)));
};

const q5_1: DecodeBlock = (bytes, at, numbers, to) => {
  const [scale, min, fifth] = [half(bytes, at), half(bytes, at + 2), bytes.getUint32(at + 4, true)];
  codes4(bytes, at + 8, (code, i) => (numbers[to + i] = fround(scale * (code | (((fifth >>> i) & 1) << 4))) + min));
};

const q8_0: DecodeBlock = (bytes, at, numbers, to) => {
  const scale = half(bytes, at);
  for (let i = 0; i < 32; i++) numbers[to + i] = scale * bytes.getInt8(at + 2 + i);
};

/** Decodes 4-bit numbers by a table. As in llama.cpp, negative zero becomes zero. */
const mxfp4: DecodeBlock = (bytes, at, numbers, to) => {
  const scale = 2 ** (bytes.getUint8(at) - 127);
  codes4(bytes, at + 1, (code, i) => (numbers[to + i] = scale * MXFP4_CODES[code] + 0));
};

/** Decodes 256 codes of 2 bits in 16 sub-blocks, which Q2_K and Q3_K share. */
function codes2(bytes: DataView, at: number, decode: (code: number, i: number, subBlock: number) => void): void {
  for (let i = 0; i < 256; i++) {
    const [part, shift, place] = [i >> 7, (i >> 5) & 3, i & 31];
    decode((bytes.getUint8(at + 32 * part + place) >> (2 * shift)) & 3, i, i >> 4);
  }
}

const q2_k: DecodeBlock = (bytes, at, numbers, to) => {
  const [scale, min] = [half(bytes, at + 80), half(bytes, at + 82)];
  codes2(bytes, at + 16, (code, i, subBlock) => {
    const own = bytes.getUint8(at + subBlock);
    numbers[to + i] = fround(fround(scale * (own & 15)) * code) - fround(min * (own >> 4));
  });
};

const q3_k: DecodeBlock = (bytes, at, numbers, to) => {
  const scale = half(bytes, at + 108);
  const scaleOf = (j: number) => {
    const low = (bytes.getUint8(at + 96 + (j & 7)) >> (j < 8 ? 0 : 4)) & 15;
    return (low | (((bytes.getUint8(at + 104 + (j & 3)) >> (2 * (j >> 2))) & 3) << 4)) - 32;
  };
  const scales = Float32Array.from({ length: 16 }, (_, j) => scale * scaleOf(j));
  codes2(bytes, at + 32, (code, i, subBlock) => {
    const hasHighBit = (bytes.getUint8(at + (i & 31)) >> (i >> 5)) & 1;
    numbers[to + i] = scales[subBlock] * (code - (hasHighBit ? 0 : 4));
  });
};

/** Returns the scale and the minimum of sub-block j in Q4_K and Q5_K: 6 bits each, packed into 12 bytes. */
function scaleAndMin(bytes: DataView, at: number, j: number): [number, number] {
  const byte = (i: number) => bytes.getUint8(at + i);
  if (j < 4) return [byte(j) & 63, byte(j + 4) & 63];
  return [(byte(j + 4) & 15) | ((byte(j - 4) >> 6) << 4), (byte(j + 4) >> 4) | ((byte(j) >> 6) << 4)];
}

/** Decodes Q4_K, or Q5_K, which has the fifth bit of each code in 32 bytes at `fifths`. */
function k45(bytes: DataView, at: number, numbers: Float32Array, to: number, codes: number, fifths?: number): void {
  const [scale, min] = [half(bytes, at), half(bytes, at + 2)];
  for (let j = 0; j < 8; j++) {
    const [ownScale, ownMin] = scaleAndMin(bytes, at + 4, j);
    const [step, offset] = [fround(scale * ownScale), fround(min * ownMin)];
    for (let i = 0; i < 32; i++) {
      const low = (bytes.getUint8(at + codes + 32 * (j >> 1) + i) >> (j % 2 === 0 ? 0 : 4)) & 15;
      const high = fifths === undefined ? 0 : (bytes.getUint8(at + fifths + i) >> j) & 1;
      numbers[to + 32 * j + i] = fround(step * (low | (high << 4))) - offset;
    }
  }
}

const q4_k: DecodeBlock = (bytes, at, numbers, to) => k45(bytes, at, numbers, to, 16);
const q5_k: DecodeBlock = (bytes, at, numbers, to) => k45(bytes, at, numbers, to, 48, 16);

const q6_k: DecodeBlock = (bytes, at, numbers, to) => {
  const scale = half(bytes, at + 208);
  for (let i = 0; i < 256; i++) {
    const [part, quarter, place] = [i >> 7, (i >> 5) & 3, i & 31];
    const low = (bytes.getUint8(at + 64 * part + 32 * (quarter & 1) + place) >> (quarter < 2 ? 0 : 4)) & 15;
    const high = (bytes.getUint8(at + 128 + 32 * part + place) >> (2 * quarter)) & 3;
    numbers[to + i] = fround(scale * bytes.getInt8(at + 192 + (i >> 4))) * ((low | (high << 4)) - 32);
  }
};

const f32: DecodeBlock = (bytes, at, numbers, to) => (numbers[to] = bytes.getFloat32(at, true));
const f16: DecodeBlock = (bytes, at, numbers, to) => (numbers[to] = half(bytes, at));
const word = new Uint32Array(1);
const wordAsFloat = new Float32Array(word.buffer);
const bf16: DecodeBlock = (bytes, at, numbers, to) => {
  word[0] = bytes.getUint16(at, true) << 16;
  numbers[to] = wordAsFloat[0];
};

const decoders: Readonly<Record<GgufTypeName, DecodeBlock>> = {
  f32,
  f16,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  q6_k,
  bf16,
  mxfp4,
};

/** Decodes complete blocks to float32. @param bytes a multiple of the type's `blockBytes` */
export function decodeGgufBlocks(type: GgufTypeName, bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const { block, blockBytes } = ggufTypes[type];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocks = bytes.byteLength / blockBytes;
  const numbers = new Float32Array(blocks * block);
  const decode = decoders[type];
  for (let i = 0; i < blocks; i++) decode(view, i * blockBytes, numbers, i * block);
  return numbers;
}

/** Returns the size in bytes of a tensor of this type. */
export const ggufBytesOf = ({ block, blockBytes }: GgufType, shape: readonly number[]): number =>
  (shape.reduce((product, size) => product * size, 1) / block) * blockBytes;
