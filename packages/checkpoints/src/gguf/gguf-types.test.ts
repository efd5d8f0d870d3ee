import { readFileSync } from 'node:fs';
import { decodeGgufBlocks, ggufTypes, type GgufTypeName } from './gguf-types.js';

/** Random blocks and their numbers by the gguf package for Python; written by test/make-gguf-blocks.py. */
const blocks = JSON.parse(
  readFileSync(new URL('../../test/fixtures/gguf-blocks.json', import.meta.url), 'utf8'),
) as Record<string, { bytes: string; numbers: string }>;

test('every type but float32 and float16 has blocks', () => {
  expect(Object.keys(ggufTypes).filter((type) => !(type in blocks))).toEqual(['f32', 'f16']);
});

test.each(Object.keys(blocks) as GgufTypeName[])(
  'blocks of %s are decoded as the gguf package decodes them',
  (type) => {
    const { bytes, numbers } = blocks[type];
    const expected = new Float32Array(Uint8Array.from(Buffer.from(numbers, 'base64')).buffer);
    // A view that does not begin at the start of its buffer, as a part of a file does not.
    const shifted = new Uint8Array([7, ...Buffer.from(bytes, 'base64')]).subarray(1);
    expect(decodeGgufBlocks(type, shifted)).toEqual(expected);
  },
);

test('float32 and float16 are read as they are, signed zeros and numbers below the normal ones too', () => {
  const numbers = Float32Array.of(1.5, -0, 2 ** -24, 65504);
  expect(decodeGgufBlocks('f32', new Uint8Array(numbers.buffer))).toEqual(numbers);
  expect(decodeGgufBlocks('f16', new Uint8Array(Uint16Array.of(0x3e00, 0x8000, 1, 0x7bff).buffer))).toEqual(numbers);
});
