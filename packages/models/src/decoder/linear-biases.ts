// Computes the biases of attention with linear biases (ALiBi): a score decreases linearly with the distance between query and
// key, with a slope for each head.
// Source: Press et al. 2021, arXiv:2108.12409, section 3.
import type { SelfAttention } from './self-attention.js';

/**
 * Computes the bias slope · key position for every head and position. The query's position is left out, since it would shift all
 * scores of a query equally, which the softmax ignores.
 *
 * @param factor multiplies the biases
 * @param isBfloat16 whether slopes, positions and products are rounded to bfloat16, as Hugging Face's Falcon does in every
 *   precision
 */
export function linearBiases(
  heads: number,
  positions: number,
  { factor = 1, isBfloat16 = false } = {},
): NonNullable<SelfAttention['positionBiases']> {
  const round = isBfloat16 ? bfloat16 : Math.fround;
  const table = new Float32Array(heads * positions);
  slopes(heads).forEach((slope, head) => {
    for (let position = 0; position < positions; position++)
      table[head * positions + position] = factor * round(round(slope) * round(position));
  });
  return { table, positions };
}

/**
 * Computes the slopes 2^(−8/n), 2^(−16/n), … of n heads if n is a power of two. Otherwise the first heads, up to the largest
 * power of two below n, have the slopes for that power, and the rest every other slope of the next power.
 */
function slopes(heads: number): number[] {
  const power = 2 ** Math.floor(Math.log2(heads));
  const first = (count: number, n: number, step: number) =>
    Array.from({ length: count }, (_, i) => 2 ** ((-8 / n) * (1 + step * i)));
  return [...first(power, power, 1), ...first(heads - power, 2 * power, 2)];
}

/** Rounds a number to bfloat16 (8 significant bits), ties to even. */
function bfloat16(x: number): number {
  const bits = new Uint32Array(Float32Array.of(x).buffer);
  bits[0] += 0x7fff + ((bits[0] >>> 16) & 1);
  bits[0] &= 0xffff0000;
  return new Float32Array(bits.buffer)[0];
}
