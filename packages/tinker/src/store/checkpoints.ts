// Stores the checkpoints that clients save with save_weights and save_weights_for_sampler, each in a folder with a record. A
// checkpoint exists once its record is written; an overwritten one keeps its files until the new record has replaced the old.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RequestError } from '../request-error.js';
import type { LoraShape } from '../training/trainable.js';
import { fileName } from './file-names.js';
import { JsonFolder } from './json-folder.js';

export type CheckpointKind = 'weights' | 'sampler_weights';

export interface Checkpoint {
  run: string;
  kind: CheckpointKind;
  name: string;
  /** The folder with the files; absent if it has the checkpoint's name, as for the first checkpoint of this name. */
  files?: string;
  /** The id of the request that wrote the checkpoint. If the request is repeated, the checkpoint is not written again. */
  request: string;
  baseModel: string;
  shape: LoraShape;
  /** In ISO 8601, for people. The order of checkpoints follows from `number`, since a clock may be set back. */
  time: string;
  /** The number in the order of all checkpoints of the server. Records of earlier versions lack it, and count as the oldest. */
  number?: number;
  bytes: number;
  /** The time when the checkpoint expires, in milliseconds since 1970; null if it does not expire. */
  expires: number | null;
  isPublic: boolean;
  /** Saved only for a sampling session, without a client's name; a model keeps only the newest of these. */
  isEphemeral: boolean;
}

/** The most checkpoints saved for sampling sessions only that a model keeps. */
const KEPT_EPHEMERAL = 16;

/** The name of the folder with all records; beside it, each training run has a folder. */
const RECORDS = 'records';

/** The checkpoints of all models, which share one limit on disk space. */
export class Checkpoints {
  /** The number of readers of each checkpoint's folder, by the folder's path. */
  readonly #readers = new Map<string, number>();
  /** Folders that are removed when their last reader has finished. */
  readonly #discarded = new Set<string>();

  private constructor(
    private readonly folder: string,
    private readonly records: JsonFolder<Checkpoint>,
    private readonly mostBytes: number,
    private readonly now: () => number,
  ) {}

  static async open(folder: string, mostBytes: number, now: () => number = Date.now): Promise<Checkpoints> {
    const records = await JsonFolder.open<Checkpoint>(join(folder, RECORDS));
    const checkpoints = new Checkpoints(folder, records, mostBytes, now);
    await checkpoints.#removeUnknown();
    return checkpoints;
  }

  /** Removes the folders that no record lists, which a killed process has left. */
  async #removeUnknown(): Promise<void> {
    const known = new Set([...this.records.entries.values()].map((each) => this.folderOf(each)));
    const runs = (await foldersIn(this.folder)).filter((path) => path !== join(this.folder, RECORDS));
    const kinds = (await Promise.all(runs.map(foldersIn))).flat();
    for (const path of (await Promise.all(kinds.map(foldersIn))).flat())
      if (!known.has(path)) await rm(path, { recursive: true, force: true });
  }

  folderOf({ run, kind, name, files = fileName(name) }: Pick<Checkpoint, 'run' | 'kind' | 'name' | 'files'>): string {
    return join(this.folder, fileName(run), kind, files);
  }

  /** The folder is kept until `use` has ended, even if the checkpoint is overwritten or removed meanwhile. */
  async reading<Result>(checkpoint: Checkpoint, use: (folder: string) => Promise<Result>): Promise<Result> {
    const folder = this.folderOf(checkpoint);
    this.#readers.set(folder, (this.#readers.get(folder) ?? 0) + 1);
    try {
      return await use(folder);
    } finally {
      const left = this.#readers.get(folder)! - 1;
      if (left > 0) this.#readers.set(folder, left);
      else this.#readers.delete(folder);
      if (left === 0 && this.#discarded.delete(folder)) await rm(folder, { recursive: true, force: true });
    }
  }

  async #discard(folder: string): Promise<void> {
    if (this.#readers.has(folder)) this.#discarded.add(folder);
    else await rm(folder, { recursive: true, force: true });
  }

  /** Lists the checkpoints of all runs or one run, newest first, without those saved for sampling sessions only. */
  list(run?: string): Checkpoint[] {
    return [...this.records.entries.values()]
      .filter((each) => (run === undefined || each.run === run) && !each.isEphemeral && this.#isAlive(each))
      .sort((a, b) => byAge(b, a));
  }

  /** Throws RequestError 404 for an unknown path. */
  find(path: string): Checkpoint {
    const found = this.records.get(path);
    if (found && this.#isAlive(found)) return found;
    throw new RequestError(`there is no checkpoint ${path}`, 404);
  }

  /** @param write writes all files into a folder, or throws @param mostBytes an upper bound for the bytes of the files */
  async save(
    wanted: Omit<Checkpoint, 'files' | 'time' | 'number' | 'bytes' | 'isPublic'>,
    overwrite: boolean,
    { write, mostBytes }: { write: (folder: string) => Promise<void>; mostBytes: number },
  ): Promise<Checkpoint> {
    const path = pathOf(wanted);
    if (this.records.get(path)?.request === wanted.request) return this.records.get(path)!;
    await this.#removeExpired();
    const former = this.records.get(path);
    if (former && !overwrite) throw new RequestError(`the checkpoint ${path} exists; send overwrite, or another path`);
    this.#checkRoom(mostBytes, former?.bytes ?? 0);
    const isTaken = former !== undefined || this.#readers.has(this.folderOf(wanted));
    const place = isTaken ? { ...wanted, files: `${fileName(wanted.name)}.${randomUUID()}` } : wanted;
    const folder = this.folderOf(place);
    await rm(folder, { recursive: true, force: true });
    await mkdir(join(folder, '..'), { recursive: true });
    let record: Checkpoint;
    try {
      await write(folder);
      const time = new Date(this.now()).toISOString();
      record = { ...place, bytes: await bytesBelow(folder), time, number: this.#nextNumber(), isPublic: false };
      await this.records.set(path, record);
    } catch (error) {
      await this.#discard(folder);
      throw error;
    }
    if (former) await this.#discard(this.folderOf(former));
    if (wanted.isEphemeral) await this.#removeOldEphemeral(wanted.run);
    return record;
  }

  #nextNumber(): number {
    return 1 + [...this.records.entries.values()].reduce((most, { number = 0 }) => Math.max(most, number), 0);
  }

  async remove(path: string): Promise<void> {
    const found = this.records.get(path);
    if (found === undefined) return;
    await this.records.delete(path);
    await this.#discard(this.folderOf(found));
  }

  async change(path: string, changes: Partial<Pick<Checkpoint, 'isPublic' | 'expires'>>): Promise<void> {
    this.find(path);
    await this.records.change(path, changes);
  }

  #isAlive({ expires }: Checkpoint): boolean {
    return expires === null || expires > this.now();
  }

  #checkRoom(wanted: number, freed: number): void {
    const used = [...this.records.entries.values()].reduce((sum, { bytes }) => sum + bytes, -freed);
    if (used + wanted > this.mostBytes)
      throw new RequestError(
        `the checkpoints have ${used} bytes together, this one may have ${wanted}, and this server keeps ${this.mostBytes} ` +
          '(task.max_storage_mb); delete some',
      );
  }

  async #removeExpired(): Promise<void> {
    for (const each of [...this.records.entries.values()]) if (!this.#isAlive(each)) await this.remove(pathOf(each));
  }

  async #removeOldEphemeral(run: string): Promise<void> {
    const all = [...this.records.entries.values()].filter((each) => each.run === run && each.isEphemeral);
    const old = all.sort(byAge).slice(0, -KEPT_EPHEMERAL);
    for (const each of old) await this.remove(pathOf(each));
  }
}

/** Compares checkpoints by age, the oldest first. */
const byAge = (a: Checkpoint, b: Checkpoint): number =>
  (a.number ?? 0) - (b.number ?? 0) || (a.time < b.time ? -1 : a.time > b.time ? 1 : 0);

/** Clients name a checkpoint `tinker://RUN/weights/NAME`. */
export const pathOf = ({ run, kind, name }: Pick<Checkpoint, 'run' | 'kind' | 'name'>): string =>
  `tinker://${run}/${kind}/${name}`;

const NAME = /^[A-Za-z0-9._-]{1,128}$/;

/** The most bytes of a record's file name: the 255 of file systems without the extension and the suffix of temporary names. */
const LONGEST_FILE = 230;

/** Throws RequestError if a client's name for a checkpoint is invalid or too long. */
export function checkpointName(name: string, { run, kind }: Pick<Checkpoint, 'run' | 'kind'>): string {
  if (!NAME.test(name) || /^\.+$/.test(name))
    throw new RequestError(`path '${name.slice(0, 80)}' must have 1 to 128 letters, digits, '.', '_' or '-'`);
  // The length is that of the encoded name, in which for instance a dot takes three bytes.
  const room = LONGEST_FILE - fileName(pathOf({ run, kind, name: '' })).length;
  if (fileName(name).length > room)
    throw new RequestError(`path '${name.slice(0, 80)}' has too many dots: give it a shorter name, or fewer of them`);
  return name;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
