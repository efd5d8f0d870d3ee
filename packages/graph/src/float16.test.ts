import { float16Bits, toFloat16 } from './float16.js';

test.each([
  [0, 0x0000],
  [-0, 0x8000],
  [1, 0x3c00],
  [-2, 0xc000],
  [65504, 0x7bff], // the largest
  [65519.9, 0x7bff], // rounds down to it
  [65520, 0x7c00], // half-way to 2¹⁶: infinite
  [-1e9, 0xfc00],
  [2 ** -14, 0x0400], // the smallest normal number
  [2 ** -24, 0x0001], // the smallest of all
  [2 ** -25, 0x0000], // half of it: a tie goes to the even one
  [1 + 2 ** -11, 0x3c00], // a tie between 1 and 1 + 2⁻¹⁰
  [1 + 3 * 2 ** -11, 0x3c02],
])('float16 of %p', (value, bits) => {
  expect(float16Bits(value)).toBe(bits);
});

test('NaN stays NaN', () => {
  const [bits] = toFloat16([NaN]);
  expect(bits! & 0x7c00).toBe(0x7c00);
  expect(bits! & 0x03ff).not.toBe(0);
});
