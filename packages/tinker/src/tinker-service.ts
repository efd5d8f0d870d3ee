// Accepts requests of the Tinker API, stores each as a future, and lets the model or the sampler compute its result. After a
// restart of the server, it continues with the requests that are not answered.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { inTurns, QueueFullError, type ServedEngine } from '@bowyer/serving';
import { FutureStore, type NewRequest, type StoredRequest, type WaitingRequest } from './futures/future-store.js';
import type { ModelRecord, Quotas } from './models/model-record.js';
import { ModelTable } from './models/model-table.js';
import { operationsOf } from './models/operations.js';
import { failureOf } from './failure.js';
import { RequestError } from './request-error.js';
import { AdapterPlaces, type NamedAdapter } from './sampling/adapter-places.js';
import { checkSamples, sampleSettings } from './sampling/sample-settings.js';
import { Sampler } from './sampling/sampler.js';
import { Checkpoints, pathOf } from './store/checkpoints.js';
import { Sessions } from './store/sessions.js';
import type { TrainingBase } from './training/trainable.js';
import { checkedBody, type Body } from './wire/bodies.js';
import { jsonBody } from './wire/request-content.js';
import { sampleBytes } from './wire/results.js';

export interface TinkerServiceOptions {
  base: TrainingBase;
  baseModel: string;
  /** The folder with all state from which a restart continues. */
  folder: string;
  quotas: Quotas;
  /** The most adapters that are loaded for sampling at the same time. */
  places: number;
  /** The most samples that are in progress or waiting; a request that would exceed it gets status 429. */
  mostSamples: number;
  seed: number;
  onFault: (error: Error) => void;
  /** How long requests wait for a missing lower sequence number before they fail; 600,000 if not given. */
  missingMs?: number;
}

/** The samples that one request asks for, and its body. They count towards the limit on samples in progress or waiting. */
interface AskedSamples {
  samples: number;
  body: Body<'asample'>;
}

/** The limit on the bodies of unanswered requests, as a multiple of the largest allowed body. */
const WAITING_BODIES = 8;

/** How long requests wait for a missing one: long, since clients repeat a request for five minutes and more. */
const MISSING_MS = 600_000;

export class TinkerService {
  readonly sampler: Sampler;
  readonly #places: AdapterPlaces;
  /** The number of samples that are in progress or waiting. */
  #samples = 0;
  readonly #work = new Set<Promise<void>>();

  private constructor(
    readonly options: TinkerServiceOptions,
    engine: ServedEngine,
    readonly futures: FutureStore,
    readonly sessions: Sessions,
    readonly checkpoints: Checkpoints,
  ) {
    this.#places = new AdapterPlaces(engine, options.places);
    this.sampler = new Sampler(engine, this.#places);
  }

  models!: ModelTable;

  static async open(options: TinkerServiceOptions, engine: ServedEngine): Promise<TinkerService> {
    const { folder, quotas, base, baseModel, seed, onFault, missingMs = MISSING_MS } = options;
    const limits = { resultBytes: quotas.resultBytes, waitingBytes: WAITING_BODIES * quotas.bodyBytes };
    const { futures, requests } = await FutureStore.open(folder, limits);
    const checkpoints = await Checkpoints.open(join(folder, 'checkpoints'), quotas.storageBytes);
    const service = new TinkerService(options, engine, futures, await Sessions.open(folder), checkpoints);
    const operations = operationsOf({
      checkpoints,
      quotas,
      openSampler: async ({ record }, seq, path) =>
        (await service.sessions.openSampler(record.sessionId, seq, path)).id,
      saved: (path) => service.#places.forget(path),
    });
    const ofModels = { base, baseModel, folder: join(folder, 'models'), futures, checkpoints, quotas, seed };
    service.models = await ModelTable.open({ ...ofModels, operations, onFault, missingMs });
    service.#resume(requests);
    return service;
  }

  #resume(requests: readonly WaitingRequest[]): void {
    const isOver = ({ id, model, seq }: WaitingRequest) =>
      model === null ? this.futures.isDone(id) : this.models.isPast(model, seq);
    for (const request of requests)
      if (isOver(request)) this.#watch(this.futures.forgetPast(request.id));
      else if (request.model === null) this.#watch(this.#answer(request, null));
      else this.models.find(request.model).add(request);
  }

  /**
   * Accepts a request: stores it, and begins its work.
   *
   * @param sample the parsed body, if the request asks for samples
   * @returns the future's id, once the request is on disk
   * @throws {RequestError} before anything is stored
   */
  async submit(
    given: Omit<NewRequest, 'seq'> & { seq: number | null },
    sample: Body<'asample'> | null = null,
  ): Promise<string> {
    const known = this.futures.known(given);
    if (known !== undefined) {
      await this.futures.written(known);
      return known;
    }
    const live = given.model === null ? null : this.models.find(given.model);
    if (given.seq !== null) live?.checkPlace(given.seq);
    const samples = sample === null ? 0 : this.#reserved(sample);
    const request = { ...given, seq: given.seq ?? 0 };
    if (live?.isPast(request.seq)) {
      this.futures.acceptDropped(request);
      return request.id;
    }
    const written = this.futures.accept(request, live?.isNext(request.seq));
    if (sample !== null) {
      // Sampling begins before the request is on disk, which is safe since it changes nothing on disk. Requests that arrive
      // together are thus in one batch from their first token.
      this.#samples += samples;
      this.#begin(request, { samples, body: sample });
    }
    await written;
    const { body: _, key: __, hash: ___, ...waiting } = request;
    if (live) live.add(waiting);
    else if (sample === null) this.#begin(request);
    return request.id;
  }

  #reserved({ num_samples: samples = 1 }: Body<'asample'>): number {
    const { mostSamples } = this.options;
    checkSamples(samples, mostSamples);
    if (this.#samples > 0 && this.#samples + samples > mostSamples)
      throw new QueueFullError(
        `${this.#samples} samples are drawn or wait, and ${mostSamples} may (slots and task.max_queued)`,
      );
    return samples;
  }

  #begin(request: WaitingRequest & Partial<StoredRequest>, sample: AskedSamples | null = null): void {
    this.#watch(this.#answer(request, sample));
  }

  #watch(work: Promise<void>): void {
    const watched = work.catch((error: Error) => this.options.onFault(error)).finally(() => this.#work.delete(watched));
    this.#work.add(watched);
  }

  /** The samples stop counting towards the limit before the client gets the result. */
  async #answer(request: WaitingRequest & Partial<StoredRequest>, sample: AskedSamples | null): Promise<void> {
    try {
      const body = request.body ?? (await this.futures.bodyOf(request.id));
      const result = await this.#resultOf({ ...request, body }, sample?.body).finally(
        () => (this.#samples -= sample?.samples ?? 0),
      );
      await this.futures.written(request.id);
      await this.futures.finish(request.id, result);
    } catch (error) {
      if (this.#isClosed) return; // a restart answers the request
      const failure = failureOf(error);
      if (failure.category === 'server') this.options.onFault(error as Error);
      await this.futures.finish(request.id, { form: 'failure', failure });
    }
    await this.futures.forgetRequest(request.id);
  }

  async #resultOf(request: StoredRequest, sample?: Body<'asample'>) {
    if (request.kind === 'asample') {
      const body = sample ?? checkedBody('asample', await jsonBody(request));
      return { form: 'sample', bytes: await this.#sampled(request.id, body) } as const;
    }
    if (request.kind === 'unload_model') {
      const model = request.id.slice(0, -':unload'.length);
      await this.models.unload(model);
      return { form: 'json', json: { type: 'unload_model', model_id: model } } as const;
    }
    const { id, from } = await this.models.create(request);
    const path = from && { path: from.path };
    return { form: 'json', json: { type: request.kind, model_id: id, ...path } } as const;
  }

  async #sampled(id: string, body: Body<'asample'>): Promise<Uint8Array> {
    const { quotas, seed, mostSamples: most, base } = this.options;
    const settings = await inTurns(sampleSettings(body, id, { model: base.model, quotas, seed, most }));
    return sampleBytes(await this.sampler.sample(this.#adapterOf(this.#pathOf(body)), settings));
  }

  /** Returns the path of the checkpoint that a request samples from; null for the base model. */
  #pathOf({ sampling_session_id, model_path, base_model }: Body<'asample'>): string | null {
    if (sampling_session_id) return this.sessions.findSampler(sampling_session_id).path;
    if (model_path) return model_path;
    if (!base_model) throw new RequestError('one of sampling_session_id, model_path and base_model is needed');
    this.models.checkBase(base_model);
    return null;
  }

  #adapterOf(path: string | null): NamedAdapter | null {
    if (path === null) return null;
    this.#samplable(path);
    return { name: path, reading: (use) => this.checkpoints.reading(this.#samplable(path), use) };
  }

  #samplable(path: string) {
    const found = this.checkpoints.find(path);
    if (found.kind === 'sampler_weights') return found;
    throw new RequestError(`${path} is for training; sample from what save_weights_for_sampler has written`);
  }

  /** Throws RequestError if the checkpoint cannot be sampled from. */
  checkSampled(path: string): void {
    this.#samplable(path);
  }

  async removeCheckpoint(path: string): Promise<void> {
    const found = this.checkpoints.find(path);
    await this.checkpoints.remove(pathOf(found));
    await this.#places.forget(path);
  }

  newId = (): string => randomUUID();

  recordOf(model: string): ModelRecord {
    return this.models.find(model).record;
  }

  #isClosed = false;

  /** Unanswered requests stay on disk. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.futures.close();
    this.sampler.close();
    await Promise.all(this.#work);
    await this.models.close();
  }
}
