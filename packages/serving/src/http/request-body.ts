// Reads request bodies with limits on bytes, on the time between two chunks, and on the bytes of all clients together.
import type { IncomingMessage } from 'node:http';
import { excerpt } from './excerpt.js';
import { bytesInFlight, type ByteShare } from './byte-budget.js';
import { isEnough, turn } from './turn.js';

const statuses = {
  'too large': 413,
  'not UTF-8': 400,
  'not JSON': 400,
  'too deep': 400,
  'not text': 415,
  'timed out': 408,
  'no room': 503,
  left: 400,
} as const;

export class BodyError extends Error {
  override readonly name = 'BodyError';

  constructor(
    readonly reason: keyof typeof statuses,
    message: string,
  ) {
    super(message);
  }

  get status(): (typeof statuses)[typeof this.reason] {
    return statuses[this.reason];
  }
}

/** A too large body is read, and discarded, up to this multiple of its limit, since the client only then reads the answer. */
const MOST_DISCARDED = 8;

/** Receives `release`, to be called when the request is answered; until then the bytes count in all clients' budget. */
export type KeepBody = (release: () => void) => void;

/**
 * Reads a body as text, passes it to `use`, and returns the result of `use`. The text counts in the budget of all clients until
 * `use` has ended, or, with `keep`, until the function that `keep` receives is called.
 *
 * @param longest the most bytes
 * @throws {BodyError} if its content type is protobuf, if it is too long or not UTF-8, if the client stalls, or if other clients
 *   need the memory
 */
export async function readBody<T>(
  request: IncomingMessage,
  longest: number,
  use: (text: string) => T | Promise<T>,
  keep?: KeepBody,
): Promise<T> {
  const type = request.headers['content-type'];
  if (isOfBytes(type))
    throw new BodyError('not text', `the header Content-Type is '${excerpt(type!)}'; it must be application/json`);
  return usedBody(request, longest, async (blocks) => use(await decoded(blocks)), keep);
}

/** Reads a body as bytes, with the same limits as `readBody`. */
export async function readBytes<T>(
  request: IncomingMessage,
  longest: number,
  use: (bytes: Buffer) => T | Promise<T>,
  keep?: KeepBody,
): Promise<T> {
  return usedBody(request, longest, (blocks) => use(Buffer.concat(blocks)), keep);
}

async function usedBody<T>(
  request: IncomingMessage,
  longest: number,
  use: (blocks: Buffer[]) => T | Promise<T>,
  keep?: KeepBody,
): Promise<T> {
  const body = new ArrivingBody(request, longest);
  const release = () => body.share.release();
  keep?.(release);
  try {
    return await use(await body.arrived);
  } finally {
    if (!keep) release();
  }
}

/** Returns whether a content type is that of protobuf, whose bodies are read by `readBytes` instead of `readBody`. */
export const isOfBytes = (contentType = ''): boolean => /^application\/x-protobuf\s*(;|$)/i.test(contentType);

/** In bytes; each block is twice as large as the one before, up to the largest. */
const [FIRST_BLOCK, LARGEST_BLOCK] = [2 ** 10, 2 ** 18];

class ArrivingBody {
  readonly arrived: Promise<Buffer[]>;
  readonly share: ByteShare;
  /** Arriving chunks are copied to blocks and not kept, since many small ones can take a hundred times their bytes. */
  #blocks: Buffer[] = [];
  /** The number of unused bytes of the last block. */
  #free = 0;
  #length = 0;
  /** Whether the body has arrived completely or was refused. */
  #isOver = false;
  #fail: (error: BodyError) => void = () => undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly longest: number,
  ) {
    this.share = bytesInFlight.open(() =>
      this.#refuse('no room', 'the server has too many unfinished requests; send this one again later'),
    );
    this.arrived = new Promise((resolve, reject) => {
      this.#fail = reject;
      request.on('data', (piece: Buffer) => this.#take(piece));
      request.once('end', () => {
        if (!this.share.keep())
          return this.#refuse(
            'no room',
            'the server has too many requests that wait for their answers; send this one again later',
          );
        this.#isOver = true;
        const last = this.#blocks.pop();
        resolve(last ? [...this.#blocks, last.subarray(0, last.length - this.#free)] : []);
      });
      request.once('close', () => this.#refuse('left', 'the client left before its request was complete'));
      request.on('timeout', () => this.#refuse('timed out', 'the client has stopped sending its body'));
    });
  }

  #take(piece: Buffer): void {
    if (isEnough(piece.length)) this.#wait();
    this.#length += piece.length;
    if (this.#length > MOST_DISCARDED * this.longest) this.request.destroy();
    if (this.#isOver) return;
    // A body that is too long is still read to its end, since the client would otherwise never see the answer.
    if (this.#length > this.longest) return this.#refuse('too large', `the body has more than ${this.longest} bytes`);
    for (let at = 0; at < piece.length && !this.#isOver;) {
      if (this.#free === 0) this.#grow();
      const last = this.#blocks.at(-1);
      // The last block is missing if the budget has dropped this body because other clients needed the memory.
      const copied = last ? piece.copy(last, last.length - this.#free, at) : 0;
      this.#free -= copied;
      at += copied;
    }
  }

  /** Stops reading for one turn, so that the bytes of other clients are read first. */
  #wait(): void {
    this.request.pause();
    void turn().then(() => this.request.resume());
  }

  #grow(): void {
    const size = Math.min(LARGEST_BLOCK, 2 * (this.#blocks.at(-1)?.length ?? FIRST_BLOCK / 2));
    this.#blocks.push(Buffer.allocUnsafeSlow(size));
    this.#free = size;
    this.share.hold(this.share.bytes + size);
  }

  #refuse(reason: BodyError['reason'], message: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#blocks = [];
    this.share.release();
    this.#fail(new BodyError(reason, message));
  }
}

/** The number of blocks that are decoded in one step, after which other work of the server can run. */
const DECODED_AT_ONCE = 4;

/** Throws BodyError if the bytes are not UTF-8. */
export function textOf(bytes: Uint8Array): Promise<string> {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += LARGEST_BLOCK) blocks.push(bytes.subarray(at, at + LARGEST_BLOCK));
  return decoded(blocks);
}

async function decoded(blocks: readonly Uint8Array[]): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for (const [i, block] of blocks.entries()) {
    if (i > 0 && i % DECODED_AT_ONCE === 0 && block.length === LARGEST_BLOCK) await turn();
    text += decodedPart(() => decoder.decode(block, { stream: true }));
  }
  return text + decodedPart(() => decoder.decode());
}

function decodedPart(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new BodyError('not UTF-8', 'the body is not UTF-8');
  }
}
