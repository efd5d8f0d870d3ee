// Decompresses the bodies of requests. Node 20 cannot read zstd, and the library fzstd moves its whole window (the bytes to which
// later ones may refer) for every block of a stream, so that a few bytes can cause minutes of work. The work for a frame is
// therefore computed from its headers before it is decoded.
import { RequestError } from '../request-error.js';
import { ZstdError, zstdFrame, type ZstdFrame } from './zstd-frame.js';
import { zstdThread } from './zstd-thread.js';

/** The most blocks of a frame; this number suffices for a content of 512 MiB. */
const MOST_BLOCKS = 4096;

/** The largest window that encoders use by default (RFC 8878, section 3.1.1.1.2). */
const LARGEST_WINDOW = 2 ** 23;

/** The most bytes by which the library may move its window for one body; moving them takes about half a second. */
const MOST_MOVED = 2 ** 31;

/**
 * @param encoding the value of the header Content-Encoding
 * @param longest the most bytes of the content
 * @throws {RequestError} for another encoding, damaged bytes, a longer content, or a frame that takes too long to decode
 */
export async function decompressed(
  body: Uint8Array,
  encoding: string | undefined,
  longest: number,
): Promise<Uint8Array> {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return body;
  if (encoding !== 'zstd') throw new RequestError(`the header Content-Encoding is '${encoding}'; it may be zstd`);
  const frame = frameOf(body);
  if (frame.size !== null && frame.size > longest) throw tooLong(longest);
  checkWork(frame);
  const answer = await zstdThread.decode({ body, size: frame.size, longest });
  if ('content' in answer) return answer.content;
  throw answer.problem === 'too long' ? tooLong(longest) : damaged(answer.message);
}

function frameOf(body: Uint8Array): ZstdFrame {
  try {
    return zstdFrame(body, MOST_BLOCKS);
  } catch (error) {
    throw error instanceof ZstdError ? damaged(error.message) : error;
  }
}

function checkWork({ size, window, blocks }: ZstdFrame): void {
  if (size !== null) return;
  if (window > LARGEST_WINDOW)
    throw new RequestError(`the body has a window of ${window} bytes for zstd; it may have ${LARGEST_WINDOW}`);
  if (blocks * window > MOST_MOVED)
    throw new RequestError(
      `the body has ${blocks} blocks of zstd with a window of ${window} bytes, and its header does not say how long the content is\n` +
        '  compress it in one piece, or send it as it is',
    );
}

const tooLong = (longest: number) => new RequestError(`the body has more than ${longest} bytes`, 413);

const damaged = (message: string) => new RequestError(`the body is not zstd: ${message}`);
