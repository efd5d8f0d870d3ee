// Encodes Q4_K: super-blocks of 256 numbers in 144 bytes. A number of sub-block j (of 32 numbers) is d · s_j · code − dmin · m_j,
// with d and dmin in float16, s_j and m_j in 6 bits, and codes of 4 bits. Source: ggml-quants.c of ggml-org/llama.cpp,
// quantize_row_q4_K_ref and make_qkx2_quants; in float32 as there, except for sums.
import { float16ToFloat32, ggufTypes } from '@bowyer/checkpoints';
import { maximum } from '@bowyer/core';
import { toFloat16 } from '@bowyer/graph';

const { block: SUPER_BLOCK, blockBytes: SUPER_BLOCK_BYTES } = ggufTypes.q4_k;

const SUB_BLOCK = 32;
const SUB_BLOCKS = SUPER_BLOCK / SUB_BLOCK;
const LARGEST_CODE = 15;
const LARGEST_SCALE = 63;
const { fround } = Math;

/** Approximates a sub-block as scale · code + min, with min ≤ 0. */
interface Fit {
  scale: number;
  min: number;
}

/** Encodes numbers, whose count is a multiple of 256. */
export function encodeQ4K(numbers: Float32Array): Uint8Array {
  const blocks = numbers.length / SUPER_BLOCK;
  const bytes = new Uint8Array(blocks * SUPER_BLOCK_BYTES);
  for (let i = 0; i < blocks; i++)
    encodeBlock(
      numbers.subarray(i * SUPER_BLOCK, (i + 1) * SUPER_BLOCK),
      bytes.subarray(i * SUPER_BLOCK_BYTES, (i + 1) * SUPER_BLOCK_BYTES),
    );
  return bytes;
}

function encodeBlock(numbers: Float32Array, target: Uint8Array): void {
  const part = (j: number) => numbers.subarray(j * SUB_BLOCK, (j + 1) * SUB_BLOCK);
  const fits = Array.from({ length: SUB_BLOCKS }, (_, j) => fitted(part(j)));
  const scales = sixBits(fits.map(({ scale }) => scale));
  const mins = sixBits(fits.map(({ min }) => -min));
  const halves = toFloat16(Float32Array.of(scales.unit, mins.unit));
  const view = new DataView(target.buffer, target.byteOffset);
  halves.forEach((half, i) => view.setUint16(2 * i, half, true));
  const [scaleUnit, minUnit] = float16ToFloat32(halves);
  target.set(packed(scales.codes, mins.codes), 4);
  for (let j = 0; j < SUB_BLOCKS; j++) {
    const step = fround(scaleUnit * scales.codes[j]);
    const offset = fround(minUnit * mins.codes[j]);
    const codes = codesOf(part(j), step, offset);
    // Two sub-blocks share bytes: the codes of the even one are the lower 4 bits.
    const from = 16 + Math.floor(j / 2) * SUB_BLOCK;
    for (let i = 0; i < SUB_BLOCK; i++) target[from + i] |= codes[i] << (j % 2 === 0 ? 0 : 4);
  }
}

/** Computes the codes of numbers for the stored scale and offset; all 0 if the scale is 0. */
function codesOf(numbers: Float32Array, step: number, offset: number): Uint8Array {
  const codes = new Uint8Array(SUB_BLOCK);
  if (step === 0) return codes;
  for (let i = 0; i < SUB_BLOCK; i++) codes[i] = bounded(fround(numbers[i] + offset) / step, LARGEST_CODE);
  return codes;
}

/** Encodes numbers ≥ 0 as multiples of a common unit, 0 to 63 (6 bits). */
function sixBits(numbers: readonly number[]): { unit: number; codes: number[] } {
  const largest = maximum([0, ...numbers]);
  const inverse = largest > 0 ? fround(LARGEST_SCALE / largest) : 0;
  return { unit: largest / LARGEST_SCALE, codes: numbers.map((x) => bounded(inverse * x, LARGEST_SCALE)) };
}

/**
 * Packs the 6-bit codes of scales and mins into twelve bytes: the first four of each in one byte each; of the others, the lower 4 bits
 * of a scale and a min share a byte, and their upper 2 bits fill the spare bits of the first eight bytes.
 */
function packed(scales: readonly number[], mins: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(12);
  for (let j = 0; j < 4; j++) {
    bytes[j] = scales[j] | ((scales[j + 4] >> 4) << 6);
    bytes[j + 4] = mins[j] | ((mins[j + 4] >> 4) << 6);
    bytes[j + 8] = (scales[j + 4] & 0xf) | ((mins[j + 4] & 0xf) << 4);
  }
  return bytes;
}

/** Tries 21 scales, fits scale and min to the codes of each, and returns the fit with the least squared error, weighted by √(mean x²) + |x|. */
function fitted(numbers: Float32Array): Fit {
  let [least, most, squares] = [0, -Infinity, 0];
  for (let i = 0; i < SUB_BLOCK; i++) {
    least = Math.min(least, numbers[i]);
    most = Math.max(most, numbers[i]);
    squares += numbers[i] ** 2;
  }
  if (most <= least) return { scale: 0, min: least };
  const weights = new Float32Array(SUB_BLOCK);
  for (let i = 0; i < SUB_BLOCK; i++) weights[i] = Math.sqrt(squares / SUB_BLOCK) + Math.abs(numbers[i]);
  const range = fround(most - least);
  let best: Fit = { scale: fround(range / LARGEST_CODE), min: least };
  let smallest = errorOf(numbers, weights, codesOf(numbers, best.scale, -least), best);
  for (let trial = 0; trial <= 20; trial++) {
    const codes = codesOf(numbers, range / (LARGEST_CODE - 1 + 0.1 * trial), -least);
    const fit = leastSquares(numbers, weights, codes);
    if (fit === null) continue;
    const error = errorOf(numbers, weights, codes, fit);
    if (error < smallest) [best, smallest] = [fit, error];
  }
  return best;
}

/** Fits scale · code + min, min ≤ 0, by weighted least squares; null if all codes are equal. */
function leastSquares(numbers: Float32Array, weights: Float32Array, codes: Uint8Array): Fit | null {
  let [w, x, l, ll, xl] = [0, 0, 0, 0, 0];
  for (let i = 0; i < SUB_BLOCK; i++) {
    const weighted = weights[i] * codes[i];
    w += weights[i];
    x += weights[i] * numbers[i];
    l += weighted;
    ll += weighted * codes[i];
    xl += weighted * numbers[i];
  }
  const determinant = w * ll - l * l;
  if (determinant <= 0) return null;
  const min = (ll * x - l * xl) / determinant;
  if (min > 0) return { scale: fround(xl / ll), min: 0 };
  return { scale: fround((w * xl - x * l) / determinant), min: fround(min) };
}

function errorOf(numbers: Float32Array, weights: Float32Array, codes: Uint8Array, { scale, min }: Fit): number {
  let error = 0;
  for (let i = 0; i < SUB_BLOCK; i++) error += weights[i] * (scale * codes[i] + min - numbers[i]) ** 2;
  return error;
}

/** A number that, added to a float32 below 2²², rounds it to an integer. */
const WHOLE = 3 * 2 ** 22;

/** Rounds to the nearest integer, ties to even, and clamps to 0 … `largest`. */
function bounded(x: number, largest: number): number {
  const nearest = fround(x + WHOLE) - WHOLE;
  return nearest < 0 ? 0 : nearest > largest ? largest : nearest;
}
