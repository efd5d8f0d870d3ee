import { float16ToFloat32 } from '@bowyer/checkpoints';
import { tensorTypes } from './tensor-types.js';

const numbers = (of: (i: number) => number) => Float32Array.from({ length: 32 }, (_, i) => of(i));
const scaleOf = (block: Uint8Array) => float16ToFloat32(new Uint16Array(block.slice(0, 2).buffer))[0];

test('q8_0: the scale is the largest magnitude / 127, codes are the rounded quotients', () => {
  // max |x| = 127 · 0.5, so the scale is 0.5 and the codes are 2x: 0, −63.5 → −127, 1 → 2, 0.2 → 0.4 → 0, −0.25 → −0.5 → −1 (away from zero)
  const block = tensorTypes.q8_0.encode(numbers((i) => [0, -63.5, 1, 0.2, -0.25][i] ?? 0));
  expect(block).toHaveLength(34);
  expect(scaleOf(block)).toBe(0.5);
  expect([...new Int8Array(block.buffer, 2, 5)]).toEqual([0, -127, 2, 0, -1]);
});

test('q4_0: the scale is the number of the largest magnitude / −8, codes are quotients + 8, those of i and i + 16 in one byte', () => {
  // The largest magnitude is that of 4, so the scale is −0.5: 4 → −8 + 8 = 0; 0 → 8; −3.5 → 7 + 8 = 15; −4 → 16, bounded to 15; 1 → −2 + 8 = 6
  const block = tensorTypes.q4_0.encode(numbers((i) => ({ 0: 4, 1: -3.5, 16: 1, 17: -4 })[i] ?? 0));
  expect(block).toHaveLength(18);
  expect(scaleOf(block)).toBe(-0.5);
  expect([...block.subarray(2, 5)]).toEqual([0 | (6 << 4), 15 | (15 << 4), 8 | (8 << 4)]);
});

test('blocks of zeros have the scale 0', () => {
  expect([...tensorTypes.q8_0.encode(new Float32Array(32))]).toEqual(new Array(34).fill(0));
  expect(scaleOf(tensorTypes.q4_0.encode(new Float32Array(32)))).toBe(-0);
});

test('bf16 is the upper half of a float32, to the nearest, ties to even', () => {
  const bits = Uint32Array.of(0x3f800000, 0x3f808000, 0x3f818000, 0x3f808001);
  const halves = new Uint16Array(tensorTypes.bf16.encode(new Float32Array(bits.buffer)).slice().buffer);
  expect([...halves]).toEqual([0x3f80, 0x3f80, 0x3f82, 0x3f81]);
});

test('f16 refuses numbers that it has not', () => {
  expect(() => tensorTypes.f16.encode(Float32Array.of(1, 70_000))).toThrow(
    '70000 is beyond the numbers of float16: use bf16 or f32',
  );
});
