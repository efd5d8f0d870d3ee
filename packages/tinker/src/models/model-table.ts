// Holds all models of this server: those that clients create, and those that a restart finds on disk.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hash32, Rng } from '@bowyer/core';
import type { FutureStore, StoredRequest } from '../futures/future-store.js';
import { RequestError } from '../request-error.js';
import type { Checkpoints } from '../store/checkpoints.js';
import { copyNewFolder } from '../store/copy-new-folder.js';
import { fileName } from '../store/file-names.js';
import { JsonFolder } from '../store/json-folder.js';
import type { LoraShape, TrainableModel, TrainingBase } from '../training/trainable.js';
import { checkedBody } from '../wire/bodies.js';
import { jsonBody } from '../wire/request-content.js';
import { LiveModel, type Operation } from './live-model.js';
import type { ModelRecord, Quotas } from './model-record.js';

interface ModelTableOptions {
  base: TrainingBase;
  /** The clients' name of the base. */
  baseModel: string;
  folder: string;
  futures: FutureStore;
  checkpoints: Checkpoints;
  quotas: Quotas;
  /** The seed of models that were created without one. */
  seed: number;
  operations: Readonly<Record<string, Operation>>;
  onFault: (error: Error) => void;
  /** Milliseconds after which a request that waits for a missing one fails. */
  missingMs: number;
}

/** The subfolder of each model with a copy of its initial checkpoint. */
const START = 'start';

export class ModelTable {
  readonly #models = new Map<string, LiveModel>();
  /** The ids of models that are being loaded; they count as loaded. */
  readonly #loading = new Set<string>();

  private constructor(
    private readonly options: ModelTableOptions,
    private readonly records: JsonFolder<ModelRecord>,
  ) {}

  static async open(options: ModelTableOptions): Promise<ModelTable> {
    const table = new ModelTable(options, await JsonFolder.open(join(options.folder, 'records')));
    for (const record of table.records.entries.values()) table.#models.set(record.id, await table.#live(record));
    return table;
  }

  get all(): LiveModel[] {
    return [...this.#models.values()];
  }

  /** Returns a model by its id. @throws {RequestError} 404 */
  find(id: string): LiveModel {
    const found = this.#models.get(id);
    if (found) return found;
    throw new RequestError(`there is no model ${id}; create it first`, 404);
  }

  /** Returns whether the turn of a sequence number is over, or its model no longer exists. */
  isPast(id: string, seq: number): boolean {
    return this.#models.get(id)?.isPast(seq) ?? true;
  }

  /** Creates a model with fresh adapters, or with those of a checkpoint. @throws {RequestError} */
  async create(request: StoredRequest): Promise<ModelRecord> {
    const id = request.id.slice(0, -':create'.length);
    const body = await jsonBody(request);
    const record = request.kind === 'load_weights' ? this.#loaded(id, body) : this.#fresh(id, body);
    const { models, maxRank } = this.options.quotas;
    const known = this.#models.get(id)?.record;
    if (known) return sameModel(known, record);
    if (record.shape.rank > maxRank)
      throw new RequestError(
        `lora_config.rank is ${record.shape.rank}; this server has room for ${maxRank} (task.max_lora_rank)`,
      );
    const loaded = this.all.filter((each) => !each.record.isUnloaded && each.record.id !== id);
    if (loaded.length + this.#loading.size >= models)
      throw new RequestError(
        `this server trains ${models} models at the same time (task.max_models); unload one of ${loaded.map((each) => each.record.id).join(', ')}`,
      );
    this.#loading.add(id);
    try {
      const live = await this.#live(record);
      try {
        await live.trainable();
        await this.records.set(id, record);
      } catch (error) {
        await live.close();
        throw error;
      }
      this.#models.set(id, live);
    } finally {
      this.#loading.delete(id);
    }
    return record;
  }

  #fresh(id: string, body: unknown): ModelRecord {
    const { session_id, base_model, user_metadata, lora_config } = checkedBody('createModel', body);
    this.checkBase(base_model);
    if (!lora_config)
      throw new RequestError('lora_config is missing; this server trains LoRA adapters: send {"rank": 8}');
    const { rank, seed, train_attn, train_mlp, train_unembed } = lora_config;
    const shape: LoraShape = {
      rank,
      seed: seed ?? Rng.forPurpose(this.options.seed, `adapter ${hash32(id)} ${id}`).uint32(),
      trainAttn: train_attn ?? true,
      trainMlp: train_mlp ?? true,
      // The official client sends `true` by default, although many models have no separate head; weights_info says what is
      // trained.
      trainUnembed: (train_unembed ?? true) && this.options.base.trainableModules.unembed.length > 0,
    };
    return this.#record({ id, sessionId: session_id, shape, userMetadata: user_metadata ?? null, from: null });
  }

  #loaded(id: string, body: unknown): ModelRecord {
    const { path, optimizer, session_id, user_metadata, base_model } = checkedBody('loadWeights', body);
    if ((base_model ?? null) !== null) this.checkBase(base_model!);
    const { shape, kind } = this.options.checkpoints.find(path);
    if (kind !== 'weights') throw new RequestError(`${path} has an adapter alone; load what save_weights has written`);
    const from = { path, optimizer: optimizer ?? false };
    return this.#record({ id, sessionId: session_id!, shape, userMetadata: user_metadata ?? null, from });
  }

  #record(given: Omit<ModelRecord, 'baseModel' | 'isUnloaded'>): ModelRecord {
    return { ...given, baseModel: this.options.baseModel, isUnloaded: false };
  }

  /** Checks the name of the base. @throws {RequestError} for another base */
  checkBase(name: string): void {
    const { baseModel } = this.options;
    if (name !== baseModel) throw new RequestError(`base_model '${name}' is not served here; '${baseModel}' is`);
  }

  async unload(id: string): Promise<void> {
    const live = this.find(id);
    await live.unload();
    await this.records.set(id, live.record);
  }

  #live(record: ModelRecord): Promise<LiveModel> {
    const { folder, futures, operations, onFault, missingMs } = this.options;
    const own = join(folder, fileName(record.id));
    const open = (snapshot: string | null) => this.#open(record, snapshot, join(own, START));
    return LiveModel.open({ record, folder: own, futures, operations, open, onFault, missingMs });
  }

  /**
   * Opens the state of a model.
   *
   * @param start the folder with a copy of its initial checkpoint, which the first snapshot removes
   */
  async #open({ shape, from }: ModelRecord, snapshot: string | null, start: string): Promise<TrainableModel> {
    const { base, checkpoints, quotas } = this.options;
    const trainable = await base.create(shape);
    try {
      this.#bytes.set(trainable, trainable.bytes);
      const bytes = [...this.#bytes.values()].reduce((sum, each) => sum + each, 0);
      if (bytes > quotas.modelBytes)
        throw new RequestError(
          `the models have ${bytes} bytes together with this one, and this server has room for ${quotas.modelBytes} (task.max_models_mb)`,
        );
      if (snapshot !== null) await trainable.load(snapshot, { optimizer: true });
      else if (from !== null) {
        if (!existsSync(start))
          await checkpoints.reading(checkpoints.find(from.path), (folder) => copyNewFolder(folder, start));
        await trainable.load(start, { optimizer: from.optimizer });
      }
    } catch (error) {
      this.#bytes.delete(trainable);
      await trainable.close();
      throw error;
    }
    return this.#counted(trainable);
  }

  readonly #bytes = new Map<TrainableModel, number>();

  /** Counts the bytes of a model's memory until it is closed. */
  #counted(trainable: TrainableModel): TrainableModel {
    const close = trainable.close.bind(trainable);
    trainable.close = () => {
      this.#bytes.delete(trainable);
      return close();
    };
    return trainable;
  }

  async close(): Promise<void> {
    for (const live of this.all) await live.close();
  }
}

/** Returns the known model if it equals the requested one. @throws {RequestError} if they differ */
function sameModel(known: ModelRecord, { shape, from }: ModelRecord): ModelRecord {
  if (JSON.stringify([known.shape, known.from]) === JSON.stringify([shape, from])) return known;
  throw new RequestError(
    `the model ${known.id} was created before as another one; give a model_seq_id that the session has not`,
  );
}
