import { float16ToFloat32 } from '@bowyer/checkpoints';
import { Rng } from '@bowyer/core';
import { encodeQ4K } from './q4-k.js';

/**
 * Decodes a super-block by its definition, block_q4_K and dequantize_row_q4_K of llama.cpp: it has 8 sub-blocks of 32 values, and two
 * sub-blocks share 32 bytes.
 */
function decoded(block: Uint8Array): number[] {
  const [d, dmin] = float16ToFloat32(new Uint16Array(block.slice(0, 4).buffer));
  const packed = block.subarray(4, 16);
  return Array.from({ length: 256 }, (_, i) => {
    const j = i >> 5;
    const [low, high] = j < 4 ? [packed[j], packed[j + 4]] : [packed[j + 4], packed[j + 4] >> 4];
    const scale = j < 4 ? low & 63 : (low & 15) | ((packed[j - 4] >> 6) << 4);
    const min = j < 4 ? high & 63 : high | ((packed[j] >> 6) << 4);
    const pair = block[16 + 32 * (j >> 1) + (i % 32)];
    return d * scale * (j % 2 === 0 ? pair & 15 : pair >> 4) - dmin * min;
  });
}

test('sub-blocks of codes 0…15 times their scale, from their minimum on, are stored in the bytes of the definition', () => {
  // Sub-block j has the scale (j + 1) / 8 and the minimum −15 · scale where j is odd; the largest scale is 1, so d = 1/63.
  const scale = (j: number) => (j + 1) / 8;
  const numbers = Float32Array.from({ length: 256 }, (_, i) => scale(i >> 5) * ((i % 16) - ((i >> 5) % 2) * 15));
  const block = encodeQ4K(numbers);
  expect(block).toHaveLength(144);
  const [d, dmin] = float16ToFloat32(new Uint16Array(block.slice(0, 4).buffer));
  expect(d).toBeCloseTo(1 / 63, 5);
  expect(dmin).toBeCloseTo(15 / 63, 3);
  // round(63 / 8) = 8 and round(63 · 5 / 8) = 39 = 2 · 16 + 7: the upper 2 bits of sub-block 4 are stored with sub-block 0.
  expect(block[4]).toBe(8 | (2 << 6));
  expect(block[12]).toBe(7);
  // Value 1 has the code 1 in both sub-blocks 0 and 1.
  expect(block[17]).toBe(1 | (1 << 4));
  // Scales are off by at most half of d, minima by half of dmin: 15 · 0.5 / 63 each.
  decoded(block).forEach((x, i) => expect(Math.abs(x - numbers[i])).toBeLessThan(15 / 63));
});

test('normal numbers come back within 0.075 of their deviation, and zeros as zeros', () => {
  const rng = new Rng(1);
  const numbers = Float32Array.from({ length: 256 * 20 }, () => rng.normal());
  const bytes = encodeQ4K(numbers);
  const squares = Array.from({ length: 20 }, (_, b) => decoded(bytes.subarray(b * 144, (b + 1) * 144)))
    .flat()
    .map((x, i) => (x - numbers[i]) ** 2);
  expect(Math.sqrt(squares.reduce((sum, x) => sum + x, 0) / squares.length)).toBeLessThan(0.075);
  expect(decoded(encodeQ4K(new Float32Array(256))).every((x) => x === 0)).toBe(true);
});
