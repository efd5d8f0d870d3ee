// Decodes zstd in a worker thread: the library takes 0.3 s for 5 MB, and the server must handle other requests meanwhile.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

interface ZstdWork {
  /** The bytes of one compressed frame. */
  body: Uint8Array;
  /** The bytes of the frame's content; null if its header does not say it. */
  size: number | null;
  /** The most bytes that the content may have. */
  longest: number;
}

type ZstdAnswer = { content: Uint8Array } | { problem: 'too long' } | { problem: 'damaged'; message: string };

/** The number of compressed bytes that are decoded between two checks of the content's length. */
const PIECE = 2 ** 14;

/** A string, since a worker thread cannot load TypeScript sources, which the tests run. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { decompress, Decompress } = require(workerData.library);

class TooLong extends Error {}

function streamed(body, longest) {
  const pieces = [];
  let length = 0;
  const decoder = new Decompress((piece) => {
    length += piece.length;
    if (length > longest) throw new TooLong();
    pieces.push(piece);
  });
  for (let at = 0; at < body.length; at += ${PIECE})
    decoder.push(body.subarray(at, at + ${PIECE}), at + ${PIECE} >= body.length);
  return new Uint8Array(Buffer.concat(pieces));
}

function answerTo({ body, size, longest }) {
  try {
    return { content: size === null ? streamed(body, longest) : decompress(body, new Uint8Array(size)) };
  } catch (error) {
    if (error instanceof TooLong) return { problem: 'too long' };
    // The library's own errors have codes; without one, a damaged block made it write outside of an array.
    return { problem: 'damaged', message: 'code' in error ? error.message : 'a block is damaged' };
  }
}

parentPort.on('message', (work) => {
  const answer = answerTo(work);
  parentPort.postMessage(answer, answer.content ? [answer.content.buffer] : []);
});`;

/** Decodes frames one after another. The thread starts with the first one, and does not keep the process alive while idle. */
class ZstdThread {
  #worker: Worker | null = null;
  readonly #waiting: { resolve: (answer: ZstdAnswer) => void; reject: (error: Error) => void }[] = [];

  decode(work: ZstdWork): Promise<ZstdAnswer> {
    const worker = (this.#worker ??= this.#start());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      worker.ref();
      worker.postMessage(work);
    });
  }

  #start(): Worker {
    const library = createRequire(import.meta.url).resolve('fzstd');
    const worker = new Worker(THREAD, { eval: true, workerData: { library }, execArgv: [] });
    worker.on('message', (answer: ZstdAnswer) => {
      this.#waiting.shift()!.resolve(answer);
      if (this.#waiting.length === 0) worker.unref();
    });
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', (code) => this.#fail(worker, new Error(`the thread of zstd ended with exit code ${code}`)));
    return worker;
  }

  /** Rejects all waiting frames after the thread has failed; the next frame starts a new thread. */
  #fail(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return; // the thread was already replaced: its `exit` event follows its `error` event
    this.#worker = null;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/** The worker thread that all servers in this process share. */
export const zstdThread = new ZstdThread();
