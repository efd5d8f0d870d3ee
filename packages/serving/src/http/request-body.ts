// The body of a request, read within the bounds of its server: its bytes, the time between two pieces, the bytes of all clients at once.
import type { IncomingMessage } from 'node:http';
import { bytesInFlight, type ByteShare } from './byte-budget.js';

const statuses = {
  'too large': 413,
  'not UTF-8': 400,
  'not JSON': 400,
  'too deep': 400,
  'timed out': 408,
  'no room': 503,
  left: 400,
} as const;

/** A body that cannot be read. */
export class BodyError extends Error {
  override readonly name = 'BodyError';

  constructor(
    readonly reason: keyof typeof statuses,
    message: string,
  ) {
    super(message);
  }

  /** The status of the answer; an answer to a client that has left reaches nobody. */
  get status(): (typeof statuses)[typeof this.reason] {
    return statuses[this.reason];
  }
}

/** A client that sends more is cut off instead of answered, in multiples of what it may send. */
const MOST_DISCARDED = 8;

/**
 * Passes the body's text to `use`, and returns its result. Until then the text counts towards what all clients may send at once.
 *
 * @param longest in bytes
 * @throws {BodyError} if it is longer or not UTF-8, if the client stops half-way, or if others need the room
 */
export async function readBody<T>(
  request: IncomingMessage,
  longest: number,
  use: (text: string) => T | Promise<T>,
): Promise<T> {
  const body = new ArrivingBody(request, longest);
  try {
    return await use(decoded(await body.arrived));
  } finally {
    body.share.release();
  }
}

class ArrivingBody {
  readonly arrived: Promise<Buffer>;
  readonly share: ByteShare;
  /** Doubled as needed: a list of pieces may take a hundred times the bytes of its pieces. */
  #buffer = Buffer.alloc(0);
  #length = 0;
  /** Whether it has arrived or was refused. */
  #isOver = false;
  #fail: (error: BodyError) => void = () => undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly longest: number,
  ) {
    this.share = bytesInFlight.open(() =>
      this.#refuse('no room', 'the server holds too many unfinished requests; send this one again later'),
    );
    this.arrived = new Promise((resolve, reject) => {
      this.#fail = reject;
      request.on('data', (piece: Buffer) => this.#take(piece));
      request.once('end', () => {
        this.#isOver = true;
        this.share.keep();
        resolve(this.#buffer.subarray(0, this.#length));
      });
      request.once('close', () => this.#refuse('left', 'the client left before its request was complete'));
      request.on('timeout', () => this.#refuse('timed out', 'the client has stopped sending its body'));
    });
  }

  #take(piece: Buffer): void {
    const begin = this.#length;
    this.#length += piece.length;
    if (this.#length > MOST_DISCARDED * this.longest) this.request.destroy();
    if (this.#isOver) return;
    // The rest is read too, or the client would never see the answer.
    if (this.#length > this.longest) return this.#refuse('too large', `the body has more than ${this.longest} bytes`);
    if (this.#length > this.#buffer.length) this.#grow();
    piece.copy(this.#buffer, begin);
  }

  #grow(): void {
    const grown = Buffer.allocUnsafeSlow(Math.min(this.longest, Math.max(2 * this.#length, 1024)));
    this.#buffer.copy(grown);
    this.#buffer = grown;
    this.share.hold(grown.length);
  }

  #refuse(reason: BodyError['reason'], message: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#buffer = Buffer.alloc(0);
    this.share.release();
    this.#fail(new BodyError(reason, message));
  }
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BodyError('not UTF-8', 'the body is not UTF-8');
  }
}
