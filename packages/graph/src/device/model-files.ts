// Large frozen weights as files that ONNX Runtime maps into memory: the message to the worker contains a path, not a copy
// of the bytes, and all sessions that use a weight share the pages of one file.
import { mkdtempSync, openSync, closeSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf, stateOf, type ProcessIdentity } from '@bowyer/core';
import type { SerializedModel } from '../serialize.js';

/** Weights of fewer bytes in total are sent to the worker instead. */
const WORTH_A_FILE = 256 << 20;
const PREFIX = 'bowyer-weights-';
/** In each folder: the process whose files they are. */
const OWNER = 'process.json';

export class ModelFiles {
  #directory?: string;
  #models = 0;
  #weights = 0;
  /** Bytes of an initializer → name of its file. Weak, so that it does not keep weights in memory. */
  readonly #written = new WeakMap<ArrayBufferLike, Map<string, string>>();
  readonly #remove = () => this.release();

  static isWorthIt(externalData: SerializedModel['externalData']): boolean {
    return externalData.reduce((sum, { data }) => sum + data.byteLength, 0) >= WORTH_A_FILE;
  }

  /**
   * Writes the weights that are not written yet; `serialize` creates the model with the files' names.
   *
   * @returns path of the .onnx file
   */
  write(serialize: (fileOf: (data: Uint8Array) => string) => Uint8Array): string {
    const directory = (this.#directory ??= this.#create());
    const bytes = serialize((data) => this.#fileOf(directory, data));
    const path = join(directory, `model-${++this.#models}.onnx`);
    writeFileSync(path, bytes);
    return path;
  }

  /** Deletes the files. Open sessions keep their mappings. */
  release(): void {
    if (this.#directory === undefined) return;
    process.off('exit', this.#remove);
    rmSync(this.#directory, { recursive: true, force: true });
    this.#directory = undefined;
  }

  #create(): string {
    removeLeftOvers();
    process.on('exit', this.#remove);
    const directory = mkdtempSync(join(tmpdir(), PREFIX));
    writeFileSync(join(directory, OWNER), JSON.stringify(identityOf()));
    return directory;
  }

  #fileOf(directory: string, data: Uint8Array): string {
    const files = this.#written.get(data.buffer) ?? new Map<string, string>();
    this.#written.set(data.buffer, files);
    const key = `${data.byteOffset}+${data.byteLength}`;
    let name = files.get(key);
    if (name === undefined) {
      files.set(key, (name = `${++this.#weights}.bin`));
      writeWhole(join(directory, name), data);
    }
    return name;
  }
}

/** Writes all bytes of a file, though one call writes at most 2 GiB. */
function writeWhole(path: string, data: Uint8Array): void {
  const file = openSync(path, 'w');
  try {
    for (let done = 0; done < data.length;) done += writeSync(file, data, done, Math.min(2 ** 30, data.length - done));
  } finally {
    closeSync(file);
  }
}

/** Deletes the files of processes that were killed; those of other containers, which may share the folder, are left to them. */
function removeLeftOvers(): void {
  for (const name of readdirSync(tmpdir())) {
    const directory = join(tmpdir(), name);
    if (name.startsWith(PREFIX) && hasEnded(directory)) rmSync(directory, { recursive: true, force: true });
  }
}

function hasEnded(directory: string): boolean {
  try {
    return stateOf(JSON.parse(readFileSync(join(directory, OWNER), 'utf8')) as ProcessIdentity) === 'ended';
  } catch {
    return false; // the folder has just been made, or another process has deleted it
  }
}
