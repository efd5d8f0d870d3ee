// Holds all models (LoRA adapters) of the Tinker server: those that clients create, and those that a restart finds on disk.
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
  baseModel: string;
  folder: string;
  futures: FutureStore;
  checkpoints: Checkpoints;
  quotas: Quotas;
  /** The seed of the initial values of models that clients create without a seed. */
  seed: number;
  operations: Readonly<Record<string, Operation>>;
  onFault: (error: Error) => void;
  /** Milliseconds for which a model's requests wait for a missing lower sequence number, after which they fail. */
  missingMs: number;
}

/** The name of the subfolder of a model that contains a copy of the checkpoint with which it was created. */
const START = 'start';

export class ModelTable {
  readonly #models = new Map<string, LiveModel>();
  /** The ids of models that are being loaded; they count towards the limit on loaded models. */
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

  /** Throws RequestError 404 for an unknown id. */
  find(id: string): LiveModel {
    const found = this.#models.get(id);
    if (found) return found;
    throw new RequestError(`there is no model ${id}; create it first`, 404);
  }

  /** Returns whether the request of this sequence number has already run, or its model no longer exists. */
  isPast(id: string, seq: number): boolean {
    return this.#models.get(id)?.isPast(seq) ?? true;
  }

  /** Creates a model with newly initialised adapters, or with those of a checkpoint. @throws {RequestError} */
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
      // `train_unembed` is ignored for models without a separate output head, since the official client sends `true` by default;
      // the route weights_info reports which layers are trained.
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

  /** Throws RequestError for another name than the base model's. */
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
   * Loads the state of a model into memory: from a snapshot, from its initial checkpoint, or newly initialised.
   *
   * @param start the folder with a copy of its initial checkpoint, which is removed when the first snapshot is written
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

  /** Counts the memory of a model until the model is closed. */
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

/** A repeated request to create a model gets the existing one. @throws {RequestError} if it asks for another */
function sameModel(known: ModelRecord, { shape, from }: ModelRecord): ModelRecord {
  if (JSON.stringify([known.shape, known.from]) === JSON.stringify([shape, from])) return known;
  throw new RequestError(
    `the model ${known.id} was created before as another one; give a model_seq_id that the session has not`,
  );
}
