// Decodes MXFP4: 4-bit floats in blocks of 32 that share a power of two. Source: OCP Microscaling Formats (MX) Specification 1.0,
// sections 5.3.3 (E2M1) and 5.4.1 (E8M0).

/** The number of values that share a scale. */
export const MXFP4_BLOCK = 32;

/** The values by their 4-bit code, whose highest bit is the sign. */
const MAGNITUDES = [0, 0.5, 1, 1.5, 2, 3, 4, 6];
export const MXFP4_CODES = [...MAGNITUDES, ...MAGNITUDES.map((magnitude) => -magnitude)];

/**
 * Decodes MXFP4 blocks to float32.
 *
 * @param blocks [blocks · 16] bytes with two codes each, the first in the low bits
 * @param scales [blocks] exponents + 127
 * @returns [blocks · 32]
 */
export function dequantizeMxfp4(blocks: ArrayLike<number>, scales: ArrayLike<number>): Float32Array {
  const numbers = new Float32Array(2 * blocks.length);
  for (let i = 0; i < blocks.length; i++) {
    const scale = 2 ** (scales[Math.floor((2 * i) / MXFP4_BLOCK)]! - 127);
    numbers[2 * i] = MXFP4_CODES[blocks[i]! & 15]! * scale;
    numbers[2 * i + 1] = MXFP4_CODES[blocks[i]! >> 4]! * scale;
  }
  return numbers;
}
