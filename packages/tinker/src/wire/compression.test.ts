import { decompressed } from './compression.js';

/** A zstd frame of raw and run-length blocks, by RFC 8878: magic, a header with a window of 128 KiB, blocks. */
function frame(...blocks: readonly (Uint8Array | { byte: number; times: number })[]): Uint8Array {
  const written = blocks.map((block, i) => {
    const isRun = !(block instanceof Uint8Array);
    const [size, content] = isRun ? [block.times, Uint8Array.of(block.byte)] : [block.length, block];
    const header = (size << 3) | (isRun ? 2 : 0) | Number(i === blocks.length - 1);
    return Buffer.concat([Uint8Array.of(header & 255, (header >> 8) & 255, header >> 16), content]);
  });
  return Buffer.concat([Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38), ...written]);
}
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

test('zstd of raw and run-length blocks; other bodies as they are', () => {
  const body = frame(Buffer.from('{"a": '), { byte: 0x31, times: 5 }, Buffer.from('}'));
  expect(text(decompressed(body, 'zstd', 100))).toBe('{"a": 11111}');
  const plain = Buffer.from('plain');
  for (const encoding of [undefined, '', 'identity']) expect(decompressed(plain, encoding, 1)).toBe(plain);
});

test('a content longer than the cap, another encoding and broken bytes are refused', () => {
  const blocks = Array.from({ length: 40 }, () => ({ byte: 0x20, times: 100_000 }));
  expect(() => decompressed(frame(...blocks), 'zstd', 2 ** 20)).toThrow('the body has more than 1048576 bytes');
  expect(() => decompressed(Buffer.from('text'), 'gzip', 10)).toThrow("Content-Encoding is 'gzip'; it may be zstd");
  expect(() => decompressed(Buffer.from('no frame at all'), 'zstd', 10)).toThrow('the body is not zstd');
});
