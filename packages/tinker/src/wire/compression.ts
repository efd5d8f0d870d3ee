// Bodies that clients compress. Node 20 reads no zstd, and the cap must hold while the content grows, not afterwards.
import { Decompress } from 'fzstd';
import { RequestError } from '../request-error.js';

/** The compressed bytes that are decoded before the length is looked at again. */
const PIECE = 2 ** 14;

/**
 * The content of a body.
 *
 * @param encoding the header Content-Encoding
 * @param longest content in bytes
 * @throws {RequestError} for another encoding, broken bytes, or a content that is longer
 */
export function decompressed(body: Uint8Array, encoding: string | undefined, longest: number): Uint8Array {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return body;
  if (encoding !== 'zstd') throw new RequestError(`the header Content-Encoding is '${encoding}'; it may be zstd`);
  const pieces: Uint8Array[] = [];
  let length = 0;
  const decoder = new Decompress((piece) => {
    length += piece.length;
    if (length > longest) throw tooLong(longest);
    pieces.push(piece);
  });
  try {
    for (let at = 0; at < body.length; at += PIECE)
      decoder.push(body.subarray(at, at + PIECE), at + PIECE >= body.length);
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new RequestError(`the body is not zstd: ${(error as Error).message}`);
  }
  return Buffer.concat(pieces);
}

const tooLong = (longest: number) => new RequestError(`the body has more than ${longest} bytes`, 413);
