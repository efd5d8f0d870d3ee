// Writes large frozen weights to files that ONNX Runtime maps into memory. The message to the device's worker then contains a
// path instead of a copy of the bytes, and all sessions that use a weight share the pages of one file.
import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { freeMemory, makeTemporaryFolder } from '@bowyer/core';
import type { TensorArray } from '../../dtype.js';
import { StoredTensor } from '../../stored-tensor.js';

/** The least total size in bytes of weights that are written to files; smaller ones are sent to the worker in messages. */
const WORTH_A_FILE = 64 << 20;

export class ModelFiles {
  #directory?: string;
  #models = 0;
  #weights = 0;
  /** The name of the file that contains an initializer's bytes. The map is weak, so that it does not keep weights in memory. */
  readonly #written = new WeakMap<ArrayBufferLike, Map<string, string>>();

  static isWorthIt(weights: readonly { readonly byteLength: number }[]): boolean {
    return weights.reduce((sum, { byteLength }) => sum + byteLength, 0) >= WORTH_A_FILE;
  }

  /** Writes weights that are in no file yet, then the model with the names of the files. @returns the path of the .onnx file */
  write(serialize: (fileOf: (data: Uint8Array) => string) => Uint8Array): string {
    const directory = this.#folder();
    const bytes = serialize((data) => this.#fileOf(directory, data));
    const path = join(directory, `model-${++this.#models}.onnx`);
    writeFileSync(path, bytes);
    return path;
  }

  /** Moves the elements of a tensor into a file, from which all models read them; the array is empty afterwards. */
  store(data: TensorArray): StoredTensor {
    const { buffer, byteOffset, byteLength, length } = data;
    const name = `${++this.#weights}.bin`;
    const path = join(this.#folder(), name);
    writeWhole(path, new Uint8Array(buffer, byteOffset, byteLength));
    freeMemory(data);
    return new StoredTensor(name, length, byteLength, () => readFileSync(path));
  }

  #folder(): string {
    return (this.#directory ??= makeTemporaryFolder('weights'));
  }

  /** Deletes the files. Open sessions can still read what they have mapped. */
  release(): void {
    if (this.#directory === undefined) return;
    rmSync(this.#directory, { recursive: true, force: true });
    this.#directory = undefined;
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

/** Writes all bytes of a file in parts, since one call writes at most 2 GiB. */
function writeWhole(path: string, data: Uint8Array): void {
  const file = openSync(path, 'w');
  try {
    for (let done = 0; done < data.length;) done += writeSync(file, data, done, Math.min(2 ** 30, data.length - done));
  } finally {
    closeSync(file);
  }
}
