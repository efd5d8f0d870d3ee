// Sends numbered requests to a device's worker, matches responses to them, and rejects them if the worker ends.
import { DeviceError } from '../errors.js';
import { startWorker } from './node/platform.js';
import { RequestNames } from './request-names.js';
import { OwnerQueue } from './owner-queue.js';
import type { Request, RequestMessage, ResponseMessage, Responses, WorkerSettings } from './protocol.js';
import type { WorkerThread } from './worker-thread.js';

interface Pending {
  request: Request;
  /** Resolves the request's promise; a method, not a property, so that requests with different result types fit one type. */
  resolve(result: unknown): void;
  reject: (error: Error) => void;
}

/** The queue of devices on the GPU: ONNX Runtime's WebGPU provider crashes if two sessions run at once (issues 27592, 32561). */
const gpuQueue = new OwnerQueue<WorkerClient>();

export class WorkerClient {
  readonly #worker: WorkerThread;
  /** The queue that this device shares with all other devices on the GPU; null for a device on the host. */
  readonly #queue: OwnerQueue<WorkerClient> | null;
  readonly #pending = new Map<number, Pending>();
  readonly #names = new RequestNames();
  #counter = 0;
  /** The reason why the worker accepts no more requests; undefined while it does. */
  #ended: string | undefined;

  constructor(settings: WorkerSettings) {
    this.#queue = settings.device === 'webgpu' ? gpuQueue : null;
    this.#worker = startWorker(settings, {
      answered: (message) => this.#settle(message),
      failed: (reason) => this.#fail(reason),
    });
    // An idle device does not keep its process alive, not even if an error has prevented its `close`.
    this.#worker.unref();
  }

  /** Returns a new id for a state, program, binding or kernel. */
  nextId(): number {
    return ++this.#counter;
  }

  request<K extends Request['kind']>(
    request: Extract<Request, { kind: K }>,
    transfer: ArrayBuffer[] = [],
  ): Promise<Responses[K]> {
    if (this.#ended !== undefined)
      return Promise.reject(new DeviceError(`the device cannot answer '${request.kind}': ${this.#ended}`));
    const id = ++this.#counter;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { request, resolve, reject });
      this.#worker.ref();
      const post = () => {
        try {
          this.#worker.postMessage({ id, request } satisfies RequestMessage, transfer);
        } catch (error) {
          this.#forget(id);
          reject(error as Error);
        }
      };
      if (this.#queue) this.#queue.begin(this, post);
      else post();
    });
  }

  async close(): Promise<void> {
    if (this.#ended !== undefined) return;
    await this.request({ kind: 'close' });
    this.#ended = 'it was closed';
    await this.#worker.terminate();
  }

  #settle(message: ResponseMessage): void {
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    this.#forget(message.id);
    if ('error' in message) {
      const error = new DeviceError(message.error.message);
      if (message.error.stack)
        error.stack = `${message.error.stack}\n    requested by the main thread with '${pending.request.kind}'`;
      pending.reject(error);
    } else {
      if (message.time) this.#names.report(pending.request, message.time);
      pending.resolve(message.result);
    }
  }

  #forget(id: number): void {
    this.#pending.delete(id);
    this.#queue?.end(this);
    if (this.#pending.size === 0) this.#worker.unref();
  }

  #fail(reason: string): void {
    this.#ended ??= reason;
    for (const { request, reject } of this.#pending.values())
      reject(new DeviceError(`the device cannot finish '${request.kind}': ${reason}`));
    this.#pending.clear();
    this.#queue?.leave(this);
  }
}
