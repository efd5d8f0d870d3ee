// Converts 16-bit floats to float32, optionally into a given array. Both conversions are exact.

/** Converts bfloat16, which is the upper half of a float32. */
export function bfloat16ToFloat32(
  bits: Uint16Array,
  values: Float32Array = new Float32Array(bits.length),
): Float32Array {
  const words = new Uint32Array(values.buffer, values.byteOffset, bits.length);
  for (let i = 0; i < bits.length; i++) words[i] = bits[i] << 16;
  return values;
}

/** Converts bfloat16 in place. The bits are in the upper half of the memory of `values`. */
export function expandBfloat16(values: Float32Array<ArrayBuffer>): void {
  const { buffer, byteOffset, length } = values;
  if (length % 2 === 1) {
    bfloat16ToFloat32(new Uint16Array(buffer, byteOffset + 2 * length, length), values);
    return;
  }
  // Each 32-bit word that is read contains two bfloat16. Numbers i and i + 1 are written after word (length + i) / 2 was read, so
  // that no word is overwritten before it is read.
  const words = new Uint32Array(buffer, byteOffset, length);
  for (let i = 0, from = length / 2; i < length; i += 2, from++) {
    const pair = words[from];
    words[i] = pair << 16;
    words[i + 1] = pair & 0xffff0000;
  }
}

/** Converts IEEE 754 binary16 by a table of all 65,536 values. */
export function float16ToFloat32(bits: Uint16Array, values = new Float32Array(bits.length)): Float32Array {
  const table = (float16Table ??= Float32Array.from({ length: 65_536 }, (_, half) => float16Value(half)));
  for (let i = 0; i < bits.length; i++) values[i] = table[bits[i]];
  return values;
}

let float16Table: Float32Array | undefined;

/** Decodes sign · 2^(exponent − 15) · 1.fraction; exponent 0 is subnormal, exponent 31 is infinity or NaN. */
export function float16Value(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
