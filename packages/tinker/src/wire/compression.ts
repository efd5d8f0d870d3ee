// Bodies that clients compress. Node 20 reads no zstd, and the library moves its whole window for every block of a stream, so that a
// few bytes can ask for minutes of work: what a frame asks for is looked at before it is decoded.
import { decompress, Decompress } from 'fzstd';
import { RequestError } from '../request-error.js';
import { ZstdError, zstdFrame, type ZstdFrame } from './zstd-frame.js';

/** The compressed bytes that are decoded before the length is looked at again. */
const PIECE = 2 ** 14;

/** As many as a content of 512 MiB needs. */
const MOST_BLOCKS = 4096;

/** Bytes that all encoders keep to unless a user asks for more (RFC 8878, section 3.1.1.1.2). */
const LARGEST_WINDOW = 2 ** 23;

/** Bytes of windows that are moved for one body, about half a second. */
const MOST_MOVED = 2 ** 31;

/**
 * The content of a body.
 *
 * @param encoding the header Content-Encoding
 * @param longest content in bytes
 * @throws {RequestError} for another encoding, broken bytes, a content that is longer, or a frame that takes long to decode
 */
export function decompressed(body: Uint8Array, encoding: string | undefined, longest: number): Uint8Array {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return body;
  if (encoding !== 'zstd') throw new RequestError(`the header Content-Encoding is '${encoding}'; it may be zstd`);
  try {
    const frame = zstdFrame(body);
    if (frame.size !== null && frame.size > longest) throw tooLong(longest);
    checkWork(frame);
    return frame.size === null ? streamed(body, longest) : decompress(body, new Uint8Array(frame.size));
  } catch (error) {
    if (error instanceof RequestError) throw error;
    // The library's errors have codes; others are of arrays that a damaged block writes beyond.
    const isTold = error instanceof ZstdError || 'code' in (error as Error);
    throw new RequestError(`the body is not zstd: ${isTold ? (error as Error).message : 'a block is damaged'}`);
  }
}

function checkWork({ size, window, blocks }: ZstdFrame): void {
  if (blocks > MOST_BLOCKS) throw new RequestError(`the body has ${blocks} blocks of zstd; it may have ${MOST_BLOCKS}`);
  if (size !== null) return;
  if (window > LARGEST_WINDOW)
    throw new RequestError(`the body has a window of ${window} bytes for zstd; it may have ${LARGEST_WINDOW}`);
  if (blocks * window > MOST_MOVED)
    throw new RequestError(
      `the body has ${blocks} blocks of zstd with a window of ${window} bytes, and its header does not say how long the content is\n` +
        '  compress it in one piece, or send it as it is',
    );
}

function streamed(body: Uint8Array, longest: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const decoder = new Decompress((piece) => {
    length += piece.length;
    if (length > longest) throw tooLong(longest);
    pieces.push(piece);
  });
  for (let at = 0; at < body.length; at += PIECE)
    decoder.push(body.subarray(at, at + PIECE), at + PIECE >= body.length);
  return Buffer.concat(pieces);
}

const tooLong = (longest: number) => new RequestError(`the body has more than ${longest} bytes`, 413);
