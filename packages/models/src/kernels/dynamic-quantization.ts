// Optimizer moments in 8 bits: blocks of 256 values, each divided by its largest magnitude and rounded to the nearest entry of
// a fixed map. Source: Dettmers et al. 2021 (arXiv:2110.02861), section 2.1; the map's values as bitsandbytes makes them.

/** Values that share one scale. */
export const blockLength = 256;

const decades = 7;

/**
 * The dynamic map: 256 sorted values, 0 and 1 among them. The decade from 10ᵏ⁻¹ to 10ᵏ (k = 0, −1, … −6) holds 2ⁿ⁺ᵏ evenly
 * spaced values: half of all codes lie in the top decade, a few reach down to 10⁻⁷.
 *
 * @param signed positive and negative (n = 6; −1 itself is missing, its nearest is −0.993), or positive only (n = 7)
 */
export function dynamicMap(signed: boolean): Float32Array {
  const values = [0, 1];
  for (let decade = 0; decade < decades; decade++) {
    const magnitude = 10 ** (decade - (decades - 1));
    const count = 2 ** (decade + (signed ? 0 : 1));
    for (let i = 0; i < count; i++) {
      const middle = 0.1 + (0.9 * (i + 0.5)) / count;
      values.push(magnitude * middle);
      if (signed) values.push(-magnitude * middle);
    }
  }
  return Float32Array.from(values).sort();
}

/** Finds codes: the upper 16 bits of a float32 (sign, exponent, 7 bits) lead to a code that is right or one too small. */
export interface DynamicCode {
  map: Float32Array;
  /** [256] the value halfway between a code and the next; the last is infinite. */
  halfways: Float32Array;
  /** [65536] code of the least value with these upper bits. */
  firstCodes: Uint8Array;
}

export function dynamicCode(signed: boolean): DynamicCode {
  const map = dynamicMap(signed);
  const halfways = Float32Array.from(map, (value, i) => (i < 255 ? (value + map[i + 1]) / 2 : Infinity));
  const firstCodes = new Uint8Array(65_536);
  const bits = new Uint32Array(1);
  const float = new Float32Array(bits.buffer);
  for (let upper = 0; upper < 65_536; upper++) {
    const negative = upper >= 32_768;
    bits[0] = negative ? (upper << 16) | 0xffff : upper << 16; // the least value: of negative ones the largest magnitude
    let code = 0;
    while (float[0] > halfways[code]) code++; // NaN: 0
    firstCodes[upper] = code;
  }
  return { map, halfways, firstCodes };
}

/** Values of a piece of codes. @param begin a multiple of 256, where the piece begins in `codes` */
export function dequantizePiece(
  codes: Uint8Array,
  scales: Float32Array,
  { map }: DynamicCode,
  begin: number,
  values: Float32Array,
): void {
  for (let start = 0; start < values.length; start += blockLength) {
    const scale = scales[(begin + start) / blockLength];
    const end = Math.min(values.length, start + blockLength);
    for (let i = start; i < end; i++) values[i] = map[codes[begin + i]] * scale;
  }
}

const ratios = new Float32Array(blockLength);
const ratioBits = new Uint32Array(ratios.buffer);

/** The nearest codes of a piece of values, and each block's scale. The inverse of `dequantizePiece`. */
export function quantizePiece(
  values: Float32Array,
  { halfways, firstCodes }: DynamicCode,
  begin: number,
  codes: Uint8Array,
  scales: Float32Array,
): void {
  for (let start = 0; start < values.length; start += blockLength) {
    const end = Math.min(values.length, start + blockLength);
    let largest = 0;
    for (let i = start; i < end; i++) largest = Math.max(largest, Math.abs(values[i]));
    scales[(begin + start) / blockLength] = largest;
    const inverse = largest > 0 ? 1 / largest : 0;
    for (let i = start; i < end; i++) {
      const at = i - start;
      ratios[at] = values[i] * inverse;
      const code = firstCodes[ratioBits[at] >>> 16];
      codes[begin + i] = ratios[at] > halfways[code] ? code + 1 : code;
    }
  }
}
