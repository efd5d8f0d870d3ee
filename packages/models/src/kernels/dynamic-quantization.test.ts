// The 8-bit map and the table that finds its codes, against a search over all 256 values.
import { Rng } from '@bowyer/core';
import { dequantizePiece, dynamicCode, dynamicMap, quantizePiece } from './dynamic-quantization.js';

const { abs } = Math; // a global is slow to look up inside Jest
const nearest = (map: Float32Array, x: number) => map.reduce((best, y) => (abs(y - x) < abs(best - x) ? y : best));

test('the maps hold the values of bitsandbytes', () => {
  // create_dynamic_map(signed): linspace(0.1, 1, 2^k + 1) halved per decade, with 0 and 1
  for (const signed of [true, false]) {
    const map = dynamicMap(signed);
    expect(new Set(map).size).toBe(256);
    expect(map).toEqual(map.slice().sort());
    expect(map[255]).toBe(1);
  }
  expect(dynamicMap(true)[0]).toBeCloseTo(-(1 - 0.9 / 128), 6);
  expect(dynamicMap(true)[127]).toBe(0);
  expect(dynamicMap(true)[128]).toBeCloseTo(0.55e-6, 12);
  expect([...dynamicMap(false).slice(0, 3)].map((x) => x * 1e6)).toEqual([
    0,
    expect.closeTo(0.325),
    expect.closeTo(0.775),
  ]);
});

test.each([true, false])('every value gets its nearest code; signed: %s', (signed) => {
  const rng = new Rng(1);
  const code = dynamicCode(signed);
  // Magnitudes over ten decades, and each halfway point from both sides; one block has 1 as its largest value.
  const values: number[] = [];
  for (const halfway of code.halfways.slice(0, 255)) values.push(halfway * (1 - 1e-6), halfway * (1 + 1e-6));
  while (values.length < 3000) values.push(10 ** (-10 * rng.uniform()) * (signed && rng.uniform() < 0.5 ? -1 : 1));
  for (const value of values) {
    const piece = Float32Array.of(1, value);
    const [codes, scales] = [new Uint8Array(2), new Float32Array(1)];
    quantizePiece(piece, code, 0, codes, scales);
    expect(abs(code.map[codes[1]] - piece[1])).toBeCloseTo(abs(nearest(code.map, piece[1]) - piece[1]), 12);
  }
});

test('there and back: blocks have their own scale, a block of zeros stays one, the last may be short', () => {
  const rng = new Rng(2);
  const code = dynamicCode(true);
  const size = 256 * 3 + 40;
  const values = Float32Array.from({ length: size }, (_, i) =>
    i >= 256 && i < 512 ? 0 : rng.normal() * 10 ** (i / 100),
  );
  const [codes, scales] = [new Uint8Array(size), new Float32Array(4)];
  quantizePiece(values, code, 0, codes, scales);
  const back = new Float32Array(size);
  dequantizePiece(codes, scales, code, 0, back);
  expect(scales[1]).toBe(0);
  expect(back.slice(256, 512).every((x) => x === 0)).toBe(true);
  // Half the widest gap of the map, between 0.993 and 1 and within the top decade: 0.0071 of the block's largest value.
  back.forEach((x, i) => expect(abs(x - values[i])).toBeLessThanOrEqual(0.0071 * scales[Math.floor(i / 256)]));
});
