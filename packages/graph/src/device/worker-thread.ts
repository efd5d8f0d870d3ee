// Declares the interface of the thread that handles a device's requests, which is the same for Node and browsers.
import type { RequestMessage, ResponseMessage, WorkerSettings } from './protocol.js';

export interface WorkerThread {
  postMessage(message: RequestMessage, transfer: ArrayBuffer[]): void;
  /** Lets the thread keep the process alive until `unref` is called. */
  ref(): void;
  unref(): void;
  terminate(): unknown;
}

/** `answered` is called for each response, and `failed` with the reason once the thread can no longer answer. */
export interface WorkerEvents {
  answered(response: ResponseMessage): void;
  failed(reason: string): void;
}

export type StartWorker = (settings: WorkerSettings, events: WorkerEvents) => WorkerThread;
