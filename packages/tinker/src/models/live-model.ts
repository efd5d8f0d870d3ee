// Represents one model (LoRA adapter) of the Tinker server: its requests in order, its state, and the state's snapshots on disk,
// from which a restart resumes. It runs the requests after the newest snapshot again, with the same numbers on the same machine.
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { maximum } from '@bowyer/core';
import type { FutureStore, Result, StoredRequest, WaitingRequest } from '../futures/future-store.js';
import { OrderedQueue } from '../futures/ordered-queue.js';
import { failureOf } from '../failure.js';
import { RequestError } from '../request-error.js';
import { finishedNames } from '../store/finished-names.js';
import type { TrainableModel } from '../training/trainable.js';
import type { ModelRecord } from './model-record.js';

export interface QueueEntry {
  seq: number;
  /** Returns whether the request, which a restart runs again, had failed before the restart. */
  hasFailed: () => Promise<boolean>;
}

/** The work of one request, after its body was read. */
export interface Work {
  run: (model: TrainableModel, live: LiveModel, entry: QueueEntry) => Promise<Result>;
  /** Whether the work changes the model's state, so that a restart must run it again unless a snapshot contains the change. */
  changes: boolean;
}

/** One kind of request, such as forward_backward. */
export interface Operation {
  /** Throws RequestError for an invalid body; the request then changes nothing, even if a restart runs it again. */
  read: (request: StoredRequest) => Promise<Work>;
  /** Whether the state is small after the work, since gradients were used, so that a snapshot is cheap. */
  endsStep: boolean;
}

interface LiveModelOptions {
  record: ModelRecord;
  folder: string;
  futures: FutureStore;
  operations: Readonly<Record<string, Operation>>;
  /** @param snapshot the folder of its newest snapshot; null if there is none yet */
  open: (snapshot: string | null) => Promise<TrainableModel>;
  onFault: (error: Error) => void;
  /** Milliseconds for which requests wait for a missing lower sequence number, after which they fail. */
  missingMs: number;
}

const unreadable = (error: Error): Work => ({ changes: false, run: () => Promise.reject(error) });

/** The least time between two snapshots, as a multiple of the time that writing a snapshot takes. */
const SNAPSHOT_INTERVAL = 10;

/** Begins the names of folders with copied checkpoints, before the sequence number of the request that loads the copy. */
const LOADED = 'loaded-';
const loadedBy = (name: string): number => (name.startsWith(LOADED) ? Number(name.slice(LOADED.length)) : 0);

export class LiveModel {
  readonly #queue: OrderedQueue<WaitingRequest>;
  #trainable: Promise<TrainableModel> | null = null;
  #snapshotMs = 0;
  #lastSnapshot = -Infinity;
  #isStale = false;
  lastRequest = Date.now();

  private constructor(
    readonly options: LiveModelOptions,
    private snapshot: number | null,
  ) {
    this.#queue = new OrderedQueue((snapshot ?? 0) + 1, {
      run: (request, seq) => this.#run(request, seq),
      missingMs: options.missingMs,
      onMissing: (seq, requests) => this.#failWaiting(seq, requests),
    });
  }

  static async open(options: LiveModelOptions): Promise<LiveModel> {
    const names = (await finishedNames(options.folder)).filter((name) => /^\d+$/.test(name));
    return new LiveModel(options, names.length > 0 ? maximum(names.map(Number)) : null);
  }

  get record(): ModelRecord {
    return this.options.record;
  }

  /** Returns the sequence number for a request that a client sends without one. */
  get freeSeq(): number {
    return this.#queue.free;
  }

  /** Returns whether the request of this sequence number, or a later one, has already begun to run. */
  isPast(seq: number): boolean {
    return this.#queue.isPast(seq);
  }

  /** Throws RequestError if the number is too far above the first missing one. */
  checkPlace(seq: number): void {
    this.#queue.checkPlace(seq);
  }

  /** Returns the model's state (adapter, gradients, optimizer), which is loaded from disk if it is not in memory. */
  trainable(): Promise<TrainableModel> {
    const { open, folder } = this.options;
    this.#trainable ??= open(this.snapshot === null ? null : join(folder, String(this.snapshot)));
    this.#trainable.catch(() => (this.#trainable = null));
    return this.#trainable;
  }

  /** Returns the folder for the checkpoint's copy that this request loads. The next snapshot after the request removes it. */
  loadedFolder(seq: number): string {
    return join(this.options.folder, `${LOADED}${seq}`);
  }

  isNext(seq: number): boolean {
    return this.#queue.isNext(seq);
  }

  /** @param request whose body is on disk, from where it is read when the request runs */
  add(request: WaitingRequest): void {
    this.lastRequest = Date.now();
    this.#queue.add(request.seq, request);
  }

  /** If the missing request arrives later, it runs, and the queue skips the failed ones. */
  #failWaiting(missing: number, requests: readonly WaitingRequest[]): void {
    const { futures, onFault, missingMs, record } = this.options;
    const seconds = Math.round(missingMs / 1000);
    for (const request of requests) {
      if (futures.isSkipped(request.id)) continue;
      const error =
        `seq_id ${missing} of the model ${record.id} has not been sent for ${seconds} s, and ${request.seq} waited for it\n` +
        `  nothing was done for ${request.seq}; send ${missing}, and this request again with a number behind all others`;
      futures.skip(request, { error, category: 'user' }).catch((fault: Error) => onFault(fault));
    }
  }

  async #run(request: WaitingRequest, seq: number): Promise<void> {
    const { futures, operations, onFault } = this.options;
    if (futures.isSkipped(request.id)) return;
    const operation = operations[request.kind];
    const isRepeated = futures.isDone(request.id);
    const read = async () => operation.read({ ...request, body: await futures.bodyOf(request.id) });
    const work = await read().catch(unreadable);
    const { changes } = work;
    if (isRepeated && !changes) return;
    const result = await this.#result(work, { seq, hasFailed: () => futures.hasFailed(request.id) });
    try {
      if (!isRepeated) await futures.finish(request.id, result);
      this.#isStale ||= changes;
      if (!this.#isStale) await this.#moveSnapshot(seq);
      else if (operation.endsStep && this.#isDue()) await this.#takeSnapshot(seq);
    } catch (error) {
      onFault(error as Error);
    }
  }

  async #result(work: Work, entry: QueueEntry): Promise<Result> {
    try {
      if (this.record.isUnloaded)
        throw new RequestError(`the model ${this.record.id} is unloaded; load its weights into another one`);
      return await work.run(await this.trainable(), this, entry);
    } catch (error) {
      const failure = failureOf(error);
      if (failure.category === 'server') this.options.onFault(error as Error);
      return { form: 'failure', failure };
    }
  }

  #isDue(): boolean {
    return this.#isStale && performance.now() - this.#lastSnapshot > SNAPSHOT_INTERVAL * this.#snapshotMs;
  }

  async #takeSnapshot(seq: number): Promise<void> {
    if (this.#trainable === null) return;
    const { folder } = this.options;
    const began = performance.now();
    await (await this.#trainable).save(join(folder, String(seq)));
    this.snapshot = seq;
    this.#isStale = false;
    this.#lastSnapshot = performance.now();
    this.#snapshotMs = this.#lastSnapshot - began;
    await this.#forgetUpTo(seq);
  }

  /** Renames the snapshot to a later sequence number, which is allowed if the requests in between have not changed the model. */
  async #moveSnapshot(seq: number): Promise<void> {
    if (this.snapshot === null) return;
    const { folder } = this.options;
    await rename(join(folder, String(this.snapshot)), join(folder, String(seq)));
    this.snapshot = seq;
    await this.#forgetUpTo(seq);
  }

  async #forgetUpTo(seq: number): Promise<void> {
    const { folder, futures, record } = this.options;
    // A restart runs the requests after the snapshot again, and they load the copied checkpoints again.
    const isNeeded = (name: string) => name === String(seq) || loadedBy(name) > seq;
    for (const name of await readdir(folder))
      if (!isNeeded(name)) await rm(join(folder, name), { recursive: true, force: true });
    await futures.forgetRequestsOf(record.id, seq);
  }

  /** Unloads the model after all requests that can run: its memory is freed, and later requests fail. */
  async unload(): Promise<void> {
    await this.#queue.idle();
    this.record.isUnloaded = true;
    await this.release();
  }

  async release(): Promise<void> {
    const trainable = this.#trainable;
    this.#trainable = null;
    await (await trainable?.catch(() => null))?.close();
  }

  /** Stops after the request in progress, and frees the memory. The state stays on disk. */
  async close(): Promise<void> {
    await this.#queue.close();
    await this.release();
  }
}
