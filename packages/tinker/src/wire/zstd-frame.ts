// Reads the headers of a zstd frame and its blocks, from which compression.ts computes the work of decoding.

export interface ZstdFrame {
  /** The bytes of the decompressed content; null if the header does not say it. */
  size: number | null;
  /** The number of bytes before the current position to which a block may refer. */
  window: number;
  blocks: number;
}

/** The error for bytes that are not a complete zstd frame. */
export class ZstdError extends Error {
  override readonly name = 'ZstdError';
}

const MAGIC = 0xfd2fb528;
const RUN = 1;

/**
 * @param mostBlocks the most blocks; a frame with more is refused
 * @throws {ZstdError} also for a frame that needs a dictionary, and for bytes after the frame
 */
export function zstdFrame(bytes: Uint8Array, mostBlocks: number): ZstdFrame {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.length < 6 || view.readUInt32LE(0) !== MAGIC) throw new ZstdError('it does not begin as a frame does');
  const flags = view[4];
  if ((flags & 3) !== 0) throw new ZstdError('it needs a dictionary');
  const isWhole = (flags & 0x20) !== 0; // the window of a frame with a single segment is its whole content
  const sizeKind = flags >> 6;
  const sizeBytes = sizeKind === 0 ? Number(isWhole) : 1 << sizeKind;
  const sizeAt = isWhole ? 5 : 6;
  if (sizeAt + sizeBytes > view.length) throw new ZstdError('its header is cut off');
  const size = sizeBytes === 0 ? null : sizeIn(view, sizeAt, sizeBytes);
  const window = isWhole ? size! : windowOf(view[5]);
  const { end, blocks } = blocksFrom(view, sizeAt + sizeBytes, mostBlocks);
  if (end + ((flags & 4) !== 0 ? 4 : 0) !== view.length) throw new ZstdError('its length is not that of its blocks');
  return { size, window, blocks };
}

function sizeIn(view: Buffer, at: number, bytes: number): number {
  if (bytes === 8) return Number(view.readBigUInt64LE(at));
  return view.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0);
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function blocksFrom(view: Buffer, begin: number, mostBlocks: number): { end: number; blocks: number } {
  let [at, blocks, isLast] = [begin, 0, false];
  for (; !isLast; blocks++) {
    if (blocks === mostBlocks) throw new ZstdError(`it has more than ${mostBlocks} blocks`);
    if (at + 3 > view.length) throw new ZstdError('it is cut off');
    const header = view.readUIntLE(at, 3);
    isLast = (header & 1) !== 0;
    at += 3 + (((header >> 1) & 3) === RUN ? 1 : header >> 3);
  }
  return { end: at, blocks };
}
