// Stores the requests that clients of the Tinker server have sent, and their results, on disk. A client gets the id of a future
// for each request, and fetches the result later. A request is kept until it is answered and no restart of the server needs to
// run it again; a result is kept until its space is needed, for which fetched results are removed first. A request is on disk
// before its client gets the future, and a result is on disk before the future is done.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { QueueFullError } from '@bowyer/serving';
import type { Failure } from '../failure.js';
import { RequestError } from '../request-error.js';
import { fileName, idOf } from '../store/file-names.js';
import { finishedNames } from '../store/finished-names.js';
import { readStored, writeStored } from './stored-file.js';

export interface NewRequest {
  id: string;
  kind: string;
  /** The id of the model whose requests run in the order of their sequence numbers; null for a request that has no order. */
  model: string | null;
  /** The sequence number among the model's requests. */
  seq: number;
  form: 'json' | 'protobuf';
  body: Uint8Array;
  /** The header X-Idempotency-Key; null without one. */
  key: string | null;
  /** The hash of the request's kind and body, by which a repeated request is recognized. */
  hash: string;
}

export type StoredRequest = Omit<NewRequest, 'key' | 'hash'>;

/** A request that waits for its answer, and whose body is on disk. */
export type WaitingRequest = Omit<StoredRequest, 'body'>;

/** A result: JSON as it is sent, protobuf for losses and samples, or a failure. */
export type Result =
  | { form: 'json'; json: object }
  | { form: 'failure'; failure: Failure }
  | { form: 'loss' | 'sample'; bytes: Uint8Array };

interface Entry {
  id: string;
  hash: string;
  key: string | null;
  state: 'pending' | 'done' | 'dropped';
  /** The bytes of the result on disk; 0 without one. */
  bytes: number;
  /** The bytes of the request's body; 0 once the request is answered. */
  askedBytes: number;
  isFetched: boolean;
  /** One of a model's ordered requests is never run again for a removed result, since the model may have changed. */
  isOrdered: boolean;
  /** Whether the request was failed before it could run, so that the model's queue skips it. */
  isSkipped: boolean;
}

type RequestHead = Omit<NewRequest, 'body'> & { isSkipped?: boolean };
type ResultHead = Pick<Entry, 'id' | 'hash' | 'key' | 'isOrdered'> & { form: Result['form'] };

/** The estimated bytes of memory that an entry takes without its result. */
const ENTRY_BYTES = 512;

interface FutureLimits {
  /** The most bytes of all results together; beyond it, results are removed, those that were fetched first. */
  resultBytes: number;
  /** The most bytes of the bodies of all unanswered requests together. */
  waitingBytes: number;
}

export class FutureStore {
  readonly #entries = new Map<string, Entry>();
  readonly #byKey = new Map<string, string>();
  readonly #written = new Map<string, Promise<void>>();
  readonly #waiters = new Map<string, Set<() => void>>();
  /** The sequence numbers of the requests on disk, by the id of the model and the id of the request. */
  readonly #ofModels = new Map<string, Map<string, number>>();
  #bytes = 0;
  #askedBytes = 0;
  #isClosed = false;

  private constructor(
    private readonly folder: string,
    private readonly most: FutureLimits,
  ) {}

  static async open(folder: string, most: FutureLimits): Promise<{ futures: FutureStore; requests: WaitingRequest[] }> {
    const futures = new FutureStore(folder, most);
    return { futures, requests: await futures.#read() };
  }

  /** Returns the requests without a result, and those with a result that a restart runs again. */
  async #read(): Promise<WaitingRequest[]> {
    const requests: WaitingRequest[] = [];
    for (const id of await this.#stored('requests')) {
      const { head, content } = await readStored<RequestHead>(this.#path('requests', id));
      const { hash, key, isSkipped = false, ...request } = head;
      const entry = newEntry({ id, hash, key, isOrdered: head.model !== null });
      this.#register({ ...entry, isSkipped, askedBytes: content.length });
      this.#askedBytes += content.length;
      this.#order(request);
      requests.push(request);
    }
    for (const id of await this.#stored('results')) {
      const { head, content } = await readStored<ResultHead>(this.#path('results', id));
      const { hash, key, isOrdered } = head;
      const { isSkipped, askedBytes } = this.#entries.get(id) ?? { isSkipped: false, askedBytes: 0 };
      this.#askedBytes -= askedBytes;
      this.#register({
        ...newEntry({ id, hash, key, isOrdered }),
        isSkipped,
        state: 'done',
        bytes: content.length + ENTRY_BYTES,
      });
      this.#bytes += content.length + ENTRY_BYTES;
    }
    // If the process ended before it had stored the failures of skipped requests, these requests wait again.
    for (const entry of this.#entries.values()) entry.isSkipped &&= entry.state === 'done';
    return requests;
  }

  async #stored(part: string): Promise<string[]> {
    const names = await finishedNames(join(this.folder, part));
    return names.filter((name) => name.endsWith('.bin')).map((name) => idOf(name.slice(0, -'.bin'.length)));
  }

  #register(entry: Entry): void {
    this.#entries.set(entry.id, entry);
    if (entry.key !== null) this.#byKey.set(entry.key, entry.id);
  }

  #order({ id, model, seq }: Pick<NewRequest, 'id' | 'model' | 'seq'>): void {
    if (model === null) return;
    const places = this.#ofModels.get(model) ?? new Map<string, number>();
    this.#ofModels.set(model, places.set(id, seq));
  }

  /**
   * Returns the id of the future of an equal request that was sent before; undefined for a new request.
   *
   * @throws {RequestError} 409 if a different request has the same id or the same idempotency key
   */
  known({ id, key, hash }: Pick<NewRequest, 'id' | 'key' | 'hash'>): string | undefined {
    for (const found of [
      this.#entries.get(id),
      key === null ? undefined : this.#entries.get(this.#byKey.get(key) ?? ''),
    ])
      if (found && found.hash !== hash)
        throw new RequestError(
          found.id === id
            ? `the request ${id} was sent before with another body; each sequence number is for one request`
            : `the header X-Idempotency-Key was sent before with another request, ${found.id}`,
          409,
        );
      else if (found?.state === 'dropped' && !found.isOrdered) continue; // the request is answered again
      else if (found) return found.id;
    return undefined;
  }

  /**
   * The promise is fulfilled when the request is on disk.
   *
   * @param isNext whether later requests wait for this one: it is accepted even if the unanswered bodies exceed their limit
   */
  accept(request: NewRequest, isNext = false): Promise<void> {
    const { body, ...head } = request;
    const { id, key, hash, model } = request;
    const most = this.most.waitingBytes;
    if (!isNext && this.#askedBytes > 0 && this.#askedBytes + body.length > most)
      throw new QueueFullError(`requests of ${this.#askedBytes} bytes wait for their answers, and ${most} may`);
    this.#register({ ...newEntry({ id, hash, key, isOrdered: model !== null }), askedBytes: body.length });
    this.#askedBytes += body.length;
    this.#order(request);
    const written = writeStored(this.#path('requests', id), head, body);
    this.#written.set(id, written);
    return written
      .catch((error: unknown) => {
        this.#forget(id); // a repeated request of the client counts as new
        throw error;
      })
      .finally(() => this.#written.delete(id));
  }

  async bodyOf(id: string): Promise<Uint8Array> {
    return (await readStored<RequestHead>(this.#path('requests', id))).content;
  }

  #forget(id: string): void {
    const { key, askedBytes } = this.#entries.get(id)!;
    this.#entries.delete(id);
    if (key !== null && this.#byKey.get(key) === id) this.#byKey.delete(key);
    this.#askedBytes -= askedBytes;
    for (const ids of this.#ofModels.values()) ids.delete(id);
  }

  /** A late request was already processed, and its result removed before a restart: its client gets a failure. */
  acceptDropped({ id, key, hash }: NewRequest): void {
    this.#register({ ...newEntry({ id, key, hash, isOrdered: true }), state: 'dropped' });
  }

  async written(id: string): Promise<void> {
    await this.#written.get(id);
  }

  isSkipped(id: string): boolean {
    return this.#entries.get(id)?.isSkipped === true;
  }

  /** Fails a request before it can run. Its place among the requests of its model stays taken, even after a restart. */
  async skip(head: WaitingRequest, failure: Failure): Promise<void> {
    const entry = this.#entries.get(head.id)!;
    entry.isSkipped = true;
    const { hash, key } = entry;
    const body = await this.bodyOf(head.id);
    await writeStored(this.#path('requests', head.id), { ...head, hash, key, isSkipped: true }, body);
    await this.finish(head.id, { form: 'failure', failure });
  }

  isDone(id: string): boolean {
    return this.#entries.get(id)?.state !== 'pending';
  }

  async hasFailed(id: string): Promise<boolean> {
    if (this.#entries.get(id)?.state !== 'done') return false;
    return (await readStored<ResultHead>(this.#path('results', id))).head.form === 'failure';
  }

  async finish(id: string, result: Result): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return; // the request could not be written, so that its client has no future
    const { form } = result;
    const content =
      'bytes' in result ? result.bytes : Buffer.from(JSON.stringify('json' in result ? result.json : result.failure));
    const { hash, key, isOrdered } = entry;
    const head: ResultHead = { id, hash, key, isOrdered, form };
    await writeStored(this.#path('results', id), head, content);
    this.#askedBytes -= entry.askedBytes;
    const bytes = content.length + ENTRY_BYTES;
    Object.assign(entry, { state: 'done', bytes, askedBytes: 0 });
    this.#bytes += bytes;
    for (const wake of this.#waiters.get(id) ?? []) wake();
    this.#waiters.delete(id);
    await this.#makeRoom(id);
  }

  /** Removes a request from disk, so that a restart does not run it again. */
  async forgetRequest(id: string): Promise<void> {
    await rm(this.#path('requests', id), { force: true });
    for (const ids of this.#ofModels.values()) ids.delete(id);
  }

  /** A restart found the request on disk although its sequence number was processed. Its result may have been removed. */
  async forgetPast(id: string): Promise<void> {
    const entry = this.#entries.get(id)!;
    if (entry.state === 'pending') entry.state = 'dropped';
    this.#askedBytes -= entry.askedBytes;
    entry.askedBytes = 0;
    await this.forgetRequest(id);
  }

  /** Removes the answered requests of a model up to a sequence number. */
  async forgetRequestsOf(model: string, seq: number): Promise<void> {
    for (const [id, place] of [...(this.#ofModels.get(model) ?? [])])
      if (place <= seq && this.isDone(id)) await this.forgetRequest(id);
  }

  /**
   * @param ms the longest wait in milliseconds
   * @returns null if the result is not there yet; a failure if it was removed and the request cannot be run again
   * @throws {RequestError} 410 for an unknown future, or for a removed result whose request the client must send again
   */
  async result(id: string, ms: number, signal: AbortSignal): Promise<Result | null> {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new RequestError(`there is no request ${id}; send it again`, 410);
    if (entry.state === 'pending') await this.#wait(id, ms, signal);
    if (entry.state === 'pending') return null;
    if (entry.state === 'dropped' && entry.isOrdered) return { form: 'failure', failure: goneOf(id) };
    if (entry.state === 'dropped')
      throw new RequestError(`the result of ${id} is not kept any more; send the request again`, 410);
    const { head, content } = await readStored<ResultHead>(this.#path('results', id));
    entry.isFetched = true;
    if (head.form === 'loss' || head.form === 'sample') return { form: head.form, bytes: content };
    const json = JSON.parse(Buffer.from(content).toString()) as object;
    return head.form === 'failure' ? { form: 'failure', failure: json as Failure } : { form: 'json', json };
  }

  #wait(id: string, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(id) ?? new Set();
      this.#waiters.set(id, waiters);
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        waiters.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener('abort', wake);
      waiters.add(wake);
    });
  }

  /** Removes results beyond the limit, fetched ones first, but keeps `newest`, whatever its size. */
  async #makeRoom(newest: string): Promise<void> {
    if (this.#bytes <= this.most.resultBytes) return;
    const done = [...this.#entries.values()].filter(({ state, id }) => state === 'done' && id !== newest);
    for (const entry of [...done.filter(({ isFetched }) => isFetched), ...done.filter(({ isFetched }) => !isFetched)]) {
      if (this.#bytes <= this.most.resultBytes) return;
      entry.state = 'dropped';
      this.#bytes -= entry.bytes;
      if (!entry.isOrdered) this.#forget(entry.id); // a repeated request is answered again
      await rm(this.#path('results', entry.id), { force: true });
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const waiters of this.#waiters.values()) for (const wake of [...waiters]) wake();
  }

  #path(part: 'requests' | 'results', id: string): string {
    return join(this.folder, part, `${fileName(id)}.bin`);
  }
}

const newEntry = (given: Pick<Entry, 'id' | 'hash' | 'key' | 'isOrdered'>): Entry => ({
  ...given,
  state: 'pending',
  bytes: 0,
  askedBytes: 0,
  isFetched: false,
  isSkipped: false,
});

const goneOf = (id: string): Failure => ({
  error:
    `the request ${id} was run, and its result is not kept any more; its model has moved on, so it is not run again\n` +
    '  send the next sequence number; a server with a larger task.max_results_mb keeps more results',
  category: 'user',
});
