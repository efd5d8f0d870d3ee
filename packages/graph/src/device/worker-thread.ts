// The thread that a device's requests are posted to, as Node and a browser have it.
import type { RequestMessage, ResponseMessage, WorkerSettings } from './protocol.js';

export interface WorkerThread {
  postMessage(message: RequestMessage, transfer: ArrayBuffer[]): void;
  /** Keeps the process alive until `unref`. */
  ref(): void;
  unref(): void;
  terminate(): unknown;
}

/** Holds what a thread calls: with each response, and with the reason once it can answer no more. */
export interface WorkerEvents {
  answered(response: ResponseMessage): void;
  failed(reason: string): void;
}

export type StartWorker = (settings: WorkerSettings, events: WorkerEvents) => WorkerThread;
