// Converts numbers to IEEE 754 binary16, which is stored on the host as bits in a Uint16Array.

const word = new Float32Array(1);
const bits = new Uint32Array(word.buffer);

/** Returns the bits of the nearest float16 (ties to even); infinity from 65,520 on. */
export function float16Bits(value: number): number {
  word[0] = value;
  const sign = (bits[0]! >>> 16) & 0x8000;
  const size = bits[0]! & 0x7fffffff;
  if (size >= 0x7f800000) return sign | (size > 0x7f800000 ? 0x7e00 : 0x7c00);
  if (size >= 0x477ff000) return sign | 0x7c00;
  // Below the smallest normal float16, 2⁻¹⁴, the spacing of float16 is 2⁻²⁴. That is also the spacing of float32 between 0.5 and
  // 1, so adding 0.5 in float32 rounds the value to a float16.
  if (size < 0x38800000) {
    word[0] = Math.abs(word[0]!) + 0.5;
    return sign | (bits[0]! - 0x3f000000);
  }
  const isOdd = (size >>> 13) & 1;
  return sign | ((size - 0x38000000 + 0xfff + isOdd) >>> 13);
}

/** Converts each number to the bits of the nearest float16. */
export function toFloat16(values: ArrayLike<number>): Uint16Array {
  const half = new Uint16Array(values.length);
  for (let i = 0; i < half.length; i++) half[i] = float16Bits(values[i]!);
  return half;
}
