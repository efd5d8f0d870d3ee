// Serves a WebSocket connection of an untrusted client. The next message is read only after the operating system has the last
// one's answer. Incomplete messages count in a byte budget of all clients, and no input can end the server.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { bytesInFlight } from './byte-budget.js';
import { isWrittenAtOnce, jsonTextInSteps } from './json-writing.js';
import { inTurns, isEnough, turn } from './turn.js';

export const closeCodes = { normal: 1000, goingAway: 1001, tooSlow: 1008, fault: 1011, tooBusy: 1013 } as const;

interface FrameSocketOptions {
  /** Milliseconds without a message after which the connection is closed. */
  idleMs: number;
  /** Milliseconds in which a message must arrive completely, and in which an answer must be sent. */
  stallMs?: number;
  /** The next message waits for the promise. A rejection closes the connection, and the client does not see the error. */
  onMessage: (socket: FrameSocket, data: Buffer, isBinary: boolean) => Promise<void>;
  onFault?: (error: Error) => void;
}

const STALL_MS = 30_000;

/** Messages of up to this many bytes are answered immediately; longer ones wait for turns of the event loop. */
const SHORT = 2 ** 14;

/** Milliseconds that a client has to close its side of the connection after the server was asked to stop. */
const GRACE_MS = 1000;

/** The number of bytes of the header of a client's ping frame. */
const PING_HEAD = 6;

/** @param longest the most bytes of a message */
export const frameServer = (longest: number): WebSocketServer =>
  // The number of fragments of a message is limited too, since a fragment takes more memory than its bytes.
  new WebSocketServer({
    noServer: true,
    maxPayload: longest,
    autoPong: false,
    maxFragments: 1024,
    maxBufferedChunks: 16_384,
  });

export class FrameSocket {
  /** Fulfilled when the connection is closed and no answer is in progress. */
  readonly closed: Promise<void>;
  readonly #stallMs: number;
  readonly #idle: NodeJS.Timeout;
  readonly #share = bytesInFlight.open(() => this.#makeRoom());
  #unanswered = 0;
  /** Bytes that have arrived since the end of the last complete message. */
  #begun = 0;
  #messageTimer?: NodeJS.Timeout;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  /** @param opened receives the connection after the handshake */
  static accept(
    server: WebSocketServer,
    [request, socket, head]: readonly [IncomingMessage, Duplex, Buffer],
    options: FrameSocketOptions,
    opened: (socket: FrameSocket) => void = () => undefined,
  ): void {
    server.handleUpgrade(request, socket, head, (webSocket) => opened(new FrameSocket(webSocket, socket, options)));
  }

  private constructor(
    private readonly webSocket: WebSocket,
    socket: Duplex,
    private readonly options: FrameSocketOptions,
  ) {
    const { idleMs, stallMs = STALL_MS, onMessage } = options;
    this.#stallMs = stallMs;
    this.#idle = setTimeout(() => webSocket.close(closeCodes.goingAway, 'idle'), idleMs).unref();
    // `ws` itself closes the connection after malformed and too long frames, with the right code.
    webSocket.on('error', () => undefined);
    socket.prependListener('data', ({ length }: Buffer) => this.#arrived(length));
    webSocket.on('message', (data: Buffer, isBinary: boolean) => {
      this.#messageCame();
      this.#inTurn(data.length, () => onMessage(this, data, isBinary));
    });
    webSocket.on('ping', (data: Buffer) => {
      this.#begun = Math.max(0, this.#begun - data.length - PING_HEAD);
      this.#inTurn(data.length, () => this.#taken((done) => webSocket.pong(data, false, done)));
    });
    this.closed = new Promise((resolve) => webSocket.once('close', () => resolve(this.#leave())));
  }

  get isOpen(): boolean {
    return this.webSocket.readyState === this.webSocket.OPEN;
  }

  /** The promise is fulfilled when the operating system has the bytes, or the connection is lost. */
  send(frame: object): Promise<void> {
    if (isWrittenAtOnce(frame)) return this.#sendText(JSON.stringify(frame));
    return inTurns(jsonTextInSteps(frame)).then((text) => this.#sendText(text));
  }

  #sendText(text: string): Promise<void> {
    return this.#taken((done) => this.webSocket.send(text, done));
  }

  /** Closes the connection after everything that was sent before. */
  end(code: number, reason = ''): void {
    this.webSocket.close(code, reason);
  }

  /** Answers the messages that have arrived, and closes the connection. */
  async finish(reason: string): Promise<void> {
    await this.#last;
    this.end(closeCodes.goingAway, reason);
    const grace = setTimeout(() => this.webSocket.terminate(), GRACE_MS);
    await this.closed;
    clearTimeout(grace);
  }

  #arrived(bytes: number): void {
    if (!this.isOpen) return; // stops reading
    if (this.#begun === 0)
      this.#messageTimer = setTimeout(
        () => this.end(closeCodes.tooSlow, 'a message was not finished'),
        this.#stallMs,
      ).unref();
    this.#begun += bytes;
    this.#share.hold(this.#unanswered + this.#begun);
    if (isEnough(bytes)) void this.#pausedFor(turn());
  }

  async #pausedFor(work: Promise<void>): Promise<void> {
    this.#waiting++;
    this.webSocket.pause();
    await work;
    if (--this.#waiting === 0) this.webSocket.resume();
  }

  #messageCame(): void {
    clearTimeout(this.#messageTimer);
    this.#begun = 0;
    this.#idle.refresh();
  }

  #inTurn(bytes: number, work: () => Promise<void>): void {
    this.#unanswered += bytes;
    this.#share.hold(this.#unanswered + this.#begun);
    this.#last = this.#last
      .then(() => (bytes > SHORT ? turn() : undefined))
      .then(() => (this.isOpen ? work() : undefined))
      .catch((error: Error) => {
        this.options.onFault?.(error);
        this.end(closeCodes.fault, 'the server had an error');
      })
      .then(() => {
        this.#unanswered -= bytes;
        this.#share.hold(this.#unanswered + this.#begun);
      });
    void this.#pausedFor(this.#last);
  }

  #taken(write: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const stalled = setTimeout(() => this.webSocket.terminate(), this.#stallMs).unref();
      write(() => {
        clearTimeout(stalled);
        resolve();
      });
    });
  }

  /** Closes the connection when the byte budget needs its memory, since an incomplete frame cannot be dropped alone. */
  #makeRoom(): void {
    this.end(closeCodes.tooBusy, 'the server is busy');
    this.webSocket.terminate();
  }

  async #leave(): Promise<void> {
    clearTimeout(this.#idle);
    clearTimeout(this.#messageTimer);
    this.#share.release();
    await this.#last;
    this.#share.release();
  }
}
