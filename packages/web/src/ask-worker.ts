// Sends a page's request to a server in its worker.
import type { AnswerHead } from '@bowyer/page';
import type { PageRequest } from './protocol.js';

/** Sends a request to the server on its port in a worker. The answer's body can be read while it is written. */
export async function askWorker(worker: Worker, request: Request): Promise<Response> {
  const { method, signal } = request;
  const { port, host, pathname, search } = new URL(request.url);
  const body = new Uint8Array(await request.arrayBuffer());
  const headers = { ...Object.fromEntries(request.headers), host, 'content-length': String(body.length) };
  signal.throwIfAborted();
  const { port1: own, port2: other } = new MessageChannel();
  const ask = { port: Number(port || 80), method, url: pathname + search, headers, body };
  return new Promise((resolve, reject) => {
    let controller: ReadableStreamDefaultController<Uint8Array>;
    const leave = (): void => {
      own.postMessage('leave');
      own.close();
    };
    const stream = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given), cancel: leave });
    const abort = (): void => {
      leave();
      reject(signal.reason as Error);
      controller.error(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    own.onmessage = ({ data }: MessageEvent<AnswerHead | Uint8Array | string | null>) => {
      if (typeof data === 'string') reject(new TypeError(data));
      else if (data instanceof Uint8Array) controller.enqueue(data);
      else if (data !== null) resolve(new Response(stream, data));
      else {
        signal.removeEventListener('abort', abort);
        own.close();
        controller.close();
      }
    };
    worker.postMessage({ kind: 'ask', ask, port: other } satisfies PageRequest, [other]);
  });
}
