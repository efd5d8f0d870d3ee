// Opens a safetensors file, or a Hugging Face directory of them. Headers are read and checked; tensors are read on request.
import { open, readFile, stat, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseHeader, readHeaderLength, type TensorEntry } from './safetensors-header.js';
import { CheckpointError } from '../io/checkpoint-error.js';
import type { HostTensor } from '../io/host-tensor.js';
import { readFloat32, readFloat32Transposed, type TensorData } from '../io/tensor-data.js';
import {
  firstNonFinite,
  nonFiniteAdvice,
  type ReadTensorOptions,
  type TensorInfo,
  type CheckpointReader,
} from '../io/checkpoint-reader.js';

export const singleName = 'model.safetensors';
export const indexName = 'model.safetensors.index.json';

export class SafetensorsFile implements CheckpointReader {
  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
    private readonly dataStart: number,
    readonly metadata: Record<string, string>,
    readonly entries: ReadonlyMap<string, TensorEntry & { file: string }>,
  ) {}

  static async open(path: string): Promise<SafetensorsFile> {
    const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT'
        ? new CheckpointError(path, null, 'a safetensors file', 'no file of this name')
        : error;
    });
    try {
      const information = await handle.stat();
      if (!information.isFile()) throw new CheckpointError(path, null, 'a safetensors file', 'a folder of this name');
      const { size } = information;
      const start = new Uint8Array(Math.min(8, size));
      await readFully(path, handle, 0, start);
      const header = new Uint8Array(readHeaderLength(path, start, size));
      await readFully(path, handle, 8, header);
      const dataStart = 8 + header.length;
      const { tensors, metadata } = parseHeader(path, header, size - dataStart);
      const entries = new Map(tensors.map((entry) => [entry.name, { ...entry, file: path }]));
      return new SafetensorsFile(path, handle, dataStart, metadata, entries);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async read(name: string, { transposed = false, requireFinite = false }: ReadTensorOptions = {}): Promise<HostTensor> {
    const entry = this.entries.get(name);
    if (!entry) throw new CheckpointError(this.path, name, 'this tensor', 'none of this name');
    const fail = (expected: string, found: string) => new CheckpointError(this.path, name, expected, found);
    const stored: TensorData = {
      dtype: entry.dtype,
      shape: entry.shape,
      read: (offset, target) => readFully(this.path, this.handle, this.dataStart + entry.begin + offset, target),
      fail,
    };
    const check = (numbers: Float32Array, start: number) => {
      const wrong = requireFinite ? firstNonFinite(numbers, start) : null;
      if (wrong !== null) throw new CheckpointError(this.path, name, 'finite numbers', wrong, nonFiniteAdvice);
    };
    const data = await (transposed ? readFloat32Transposed(stored) : readFloat32(stored, check));
    if (transposed) check(data, 0);
    return { shape: transposed ? [...entry.shape].reverse() : [...entry.shape], data };
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/** Opens a Hugging Face directory's weights: `model.safetensors`, which has priority as in transformers, or an index's shards. */
export async function openSafetensors(dir: string): Promise<CheckpointReader> {
  const [single, index] = [join(dir, singleName), join(dir, indexName)];
  const exists = async (path: string) => (await stat(path).catch(() => null)) !== null;
  if ((await exists(single)) || !(await exists(index))) return SafetensorsFile.open(single);
  return openShards(index, await readWeightMap(index), SafetensorsFile.open);
}

/** Reads `model.safetensors.index.json`: the name of the shard that contains each tensor. */
export async function readWeightMap(index: string): Promise<Record<string, string>> {
  const fail = (expected: string, found: string) => new CheckpointError(index, null, expected, found);
  let json: { weight_map?: unknown };
  try {
    json = JSON.parse(await readFile(index, 'utf8')) as { weight_map?: unknown };
  } catch (error) {
    throw fail('a JSON object with weight_map', (error as Error).message);
  }
  const map = json?.weight_map;
  if (typeof map !== 'object' || map === null || !Object.values(map).every((file) => typeof file === 'string'))
    throw fail('weight_map: names of tensors with the file of each', JSON.stringify(map)?.slice(0, 40) ?? 'none');
  // The index comes from a download: a shard's name must not lead out of the directory.
  const outside = Object.values(map as Record<string, string>).find((file) => basename(file) !== file);
  if (outside !== undefined) throw fail('names of files beside it', outside);
  return map as Record<string, string>;
}

/** Opens all shards as one source. Every tensor of the index must be in its file. */
export async function openShards(
  index: string,
  weightMap: Record<string, string>,
  openFile: (path: string) => Promise<CheckpointReader>,
): Promise<CheckpointReader> {
  const shards = new Map<string, CheckpointReader>();
  const close = async () => {
    for (const shard of shards.values()) await shard.close();
  };
  try {
    const entries = new Map<string, TensorInfo>();
    for (const file of new Set(Object.values(weightMap))) {
      const path = join(index, '..', file);
      if (!(await stat(path).catch(() => null)))
        throw new CheckpointError(
          index,
          null,
          `the shard '${file}' beside it, as weight_map specifies`,
          'no such file',
          'the model is incomplete: download the missing shard, or the whole model again',
        );
      shards.set(file, await openFile(path));
    }
    for (const [name, file] of Object.entries(weightMap)) {
      const entry = shards.get(file)!.entries.get(name);
      if (!entry) throw new CheckpointError(join(index, '..', file), name, 'the tensor that the index lists', 'none');
      entries.set(name, entry);
    }
    return { path: index, entries, read: (name, options) => shards.get(weightMap[name])!.read(name, options), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reads all bytes. One `read` call may return fewer, and on Linux at most 2 GiB. */
async function readFully(path: string, handle: FileHandle, position: number, target: Uint8Array): Promise<void> {
  for (let done = 0; done < target.length;) {
    const { bytesRead } = await handle.read(target, done, Math.min(2 ** 30, target.length - done), position + done);
    if (bytesRead === 0)
      throw new CheckpointError(
        path,
        null,
        `${target.length} bytes at ${position}`,
        'the end of the file: it became shorter while it was read',
      );
    done += bytesRead;
  }
}
