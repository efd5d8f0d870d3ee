import { decompressed } from './compression.js';

/** Returns a zstd frame of raw and run-length blocks, by RFC 8878: magic, a header with a window of 128 KiB, blocks. */
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

test('zstd of raw and run-length blocks; other bodies as they are', async () => {
  const body = frame(Buffer.from('{"a": '), { byte: 0x31, times: 5 }, Buffer.from('}'));
  expect(text(await decompressed(body, 'zstd', 100))).toBe('{"a": 11111}');
  const plain = Buffer.from('plain');
  for (const encoding of [undefined, '', 'identity']) expect(await decompressed(plain, encoding, 1)).toBe(plain);
});

test('a content longer than the cap, another encoding and broken bytes are refused', async () => {
  const blocks = Array.from({ length: 40 }, () => ({ byte: 0x20, times: 100_000 }));
  await expect(decompressed(frame(...blocks), 'zstd', 2 ** 20)).rejects.toThrow('the body has more than 1048576 bytes');
  await expect(decompressed(Buffer.from('text'), 'gzip', 10)).rejects.toThrow(
    "Content-Encoding is 'gzip'; it may be zstd",
  );
  await expect(decompressed(Buffer.from('no frame at all'), 'zstd', 10)).rejects.toThrow(
    'the body is not zstd: it does not begin',
  );
});

/**
 * A frame that the program zstd 1.5.5 has written. Its window is 8 MiB, which the sixth byte says, and its blocks contain
 * sequences (copies of earlier bytes) besides literal bytes.
 */
const compressed = Buffer.from(
  'KLUv/QRo7QEAZAJ7InNka192ZXJzaW9uIjogIjAuMjYuMC1hYmMgMTIzNDU2NzgifQogsBPrLsyCdiGDAg9kUOAVZFggeSj+jfE=',
  'base64',
);

test('a frame that a few bytes make long to decode is refused before it is decoded', async () => {
  const version = Array.from({ length: 60 }, (_, i) => `0.26.${i % 9}-abc `).join('');
  expect(JSON.parse(text(await decompressed(compressed, 'zstd', 1000)))).toEqual({ sdk_version: version });
  const wide = Buffer.from(compressed);
  wide[5] = 0x98;
  await expect(decompressed(wide, 'zstd', 2 ** 20)).rejects.toThrow(
    'a window of 536870912 bytes for zstd; it may have 8388608',
  );
  const short = (count: number) => frame(...Array.from({ length: count }, () => ({ byte: 0x20, times: 1 })));
  await expect(decompressed(short(4097), 'zstd', 2 ** 20)).rejects.toThrow(
    'the body is not zstd: it has more than 4096 blocks',
  );
  const moved = Buffer.from(short(300));
  moved[5] = 0x68;
  await expect(decompressed(moved, 'zstd', 2 ** 20)).rejects.toThrow(
    '300 blocks of zstd with a window of 8388608 bytes',
  );
});

test('a frame that says its size is decoded in place, and refused where that is above the cap', async () => {
  const blocks = frame(Buffer.from('{"a": '), { byte: 0x31, times: 5 }, Buffer.from('}')).subarray(6);
  const sized = Buffer.concat([Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 12), blocks]);
  expect(text(await decompressed(sized, 'zstd', 12))).toBe('{"a": 11111}');
  await expect(decompressed(sized, 'zstd', 11)).rejects.toThrow('the body has more than 11 bytes');
  const damaged = Buffer.concat([Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 3), blocks]);
  await expect(decompressed(damaged, 'zstd', 12)).rejects.toThrow('the body is not zstd: a block is damaged');
});

test('the event loop continues while a frame is decoded', async () => {
  let turns = 0;
  const count = () => setImmediate(() => (turns++, isDone || count()));
  let isDone = false;
  count();
  await Promise.all([decompressed(compressed, 'zstd', 1000), decompressed(compressed, 'zstd', 1000)]);
  isDone = true;
  expect(turns).toBeGreaterThan(0);
});
