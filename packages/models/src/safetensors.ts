// Weights in safetensors files: one file, or Hugging Face's sharded layout with model.safetensors.index.json.
import { open, readFile, stat, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';
import { float32Values } from './float32-values.js';
import { parseHeader, readHeaderLength, SafetensorsError } from './safetensors-header.js';
import { writeWholeFile } from './write-whole-file.js';

/** Host tensor: row-major values with their shape. */
export interface HostTensor {
  shape: number[];
  data: Float32Array;
}
export type HostTensors = Record<string, HostTensor>;

export interface ReadOptions {
  /** Read only tensors whose name this accepts. */
  filter?: (name: string) => boolean;
  /** Refuse NaN and infinity, naming the tensor; costs one pass over the data. */
  requireFinite?: boolean;
}

/**
 * The tensors of one file, each in an ArrayBuffer of its own (so that it can be transferred to a worker).
 * 16-bit and 64-bit floats become float32, and whole numbers do where float32 holds them exactly.
 */
export async function readSafetensors(path: string, options: ReadOptions = {}): Promise<HostTensors> {
  return (await readSafetensorsFile(path, options)).tensors;
}

/** As `readSafetensors`, with the file's metadata. */
export async function readSafetensorsFile(
  path: string,
  { filter = () => true, requireFinite = false }: ReadOptions = {},
): Promise<{ tensors: HostTensors; metadata: Record<string, string> }> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT'
      ? new SafetensorsError(path, null, 'a safetensors file', 'no file of this name')
      : error;
  });
  try {
    const { size } = await handle.stat();
    const headerLength = readHeaderLength(path, await readBytes(handle, 0, Math.min(8, size)), size);
    const dataStart = 8 + headerLength;
    const header = await readBytes(handle, 8, headerLength);
    const { tensors: entries, metadata } = parseHeader(path, header, size - dataStart);
    const tensors: HostTensors = {};
    for (const entry of entries.filter(({ name }) => filter(name))) {
      const { buffer } = await readBytes(handle, dataStart + entry.begin, entry.end - entry.begin);
      const fail = (expected: string, found: string) => new SafetensorsError(path, entry.name, expected, found);
      const data = float32Values(entry.dtype, buffer, fail);
      if (requireFinite) checkFinite(path, entry.name, data);
      tensors[entry.name] = { shape: entry.shape, data };
    }
    return { tensors, metadata };
  } finally {
    await handle.close();
  }
}

/** Writes float32 tensors to one file, whole or not at all. `format: pt` is what Python's transformers looks for. */
export async function writeSafetensors(
  path: string,
  tensors: HostTensors,
  metadata: Record<string, string> = { format: 'pt' },
): Promise<void> {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    const count = shape.reduce((product, size) => product * size, 1);
    if (count !== data.length) {
      throw new RangeError(
        `writeSafetensors: '${name}' has shape [${shape.join(', ')}], which is ${count} values, and data of ${data.length}`,
      );
    }
    header[name] = { dtype: 'F32', shape, data_offsets: [end, (end += data.byteLength)] };
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const start = new Uint8Array(8 + Math.ceil(json.length / 8) * 8).fill(0x20); // blanks align the data to 8 bytes
  new DataView(start.buffer).setBigUint64(0, BigInt(start.length - 8), true);
  start.set(json, 8);
  const bytes = Object.values(tensors).map(({ data }) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  await writeWholeFile(path, [start, ...bytes]);
}

const singleName = 'model.safetensors';
const indexName = 'model.safetensors.index.json';

/** The weights of a Hugging Face directory: `model.safetensors`, or the shards that `model.safetensors.index.json` lists. */
export async function readWeights(dir: string, options: ReadOptions = {}): Promise<HostTensors> {
  const index = join(dir, indexName);
  if (!(await stat(index).catch(() => null))) return readSafetensors(join(dir, singleName), options);
  const { weight_map: weightMap } = JSON.parse(await readFile(index, 'utf8')) as { weight_map: Record<string, string> };
  const tensors: HostTensors = {};
  for (const shard of new Set(Object.values(weightMap))) {
    // A shard's name comes from a downloaded file: it must not lead out of the directory.
    if (basename(shard) !== shard) throw new SafetensorsError(index, null, 'names of files beside it', shard);
    const filter = (name: string) => weightMap[name] === shard && (options.filter?.(name) ?? true);
    Object.assign(tensors, await readSafetensors(join(dir, shard), { ...options, filter }));
  }
  const missing = Object.keys(weightMap).find((name) => !(name in tensors) && (options.filter?.(name) ?? true));
  if (missing)
    throw new SafetensorsError(join(dir, weightMap[missing]), missing, 'the tensor that the index promises', 'none');
  return tensors;
}

/** Writes `model.safetensors`, or shards of at most `maxShardBytes` with their index, as Python's `save_pretrained`. */
export async function writeWeights(dir: string, tensors: HostTensors, { maxShardBytes = 5e9 } = {}): Promise<void> {
  const shards = splitIntoShards(tensors, maxShardBytes);
  if (shards.length <= 1) return writeSafetensors(join(dir, singleName), tensors);
  const weightMap: Record<string, string> = {};
  const number = (n: number) => String(n).padStart(5, '0');
  for (const [i, shard] of shards.entries()) {
    const file = `model-${number(i + 1)}-of-${number(shards.length)}.safetensors`;
    await writeSafetensors(join(dir, file), shard);
    for (const name of Object.keys(shard)) weightMap[name] = file;
  }
  const totalSize = Object.values(tensors).reduce((sum, { data }) => sum + data.byteLength, 0);
  // Last, so that the index never names a shard that is not there yet.
  await writeFileAtomically(
    join(dir, indexName),
    JSON.stringify({ metadata: { total_size: totalSize }, weight_map: weightMap }, null, 2),
  );
}

/** Consecutive tensors, as many to a shard as fit; one that is larger than the limit has a shard to itself. */
function splitIntoShards(tensors: HostTensors, maxBytes: number): HostTensors[] {
  const shards: HostTensors[] = [];
  let room = 0;
  for (const [name, tensor] of Object.entries(tensors)) {
    if (tensor.data.byteLength > room) {
      shards.push({});
      room = maxBytes;
    }
    shards.at(-1)![name] = tensor;
    room -= tensor.data.byteLength;
  }
  return shards;
}

async function readBytes(handle: FileHandle, position: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await handle.read(bytes, done, Math.min(2 ** 30, length - done), position + done);
    if (bytesRead === 0)
      throw new Error(`readSafetensors: the file became shorter while it was read, at byte ${position + done}`);
    done += bytesRead;
  }
  return bytes;
}

function checkFinite(path: string, name: string, data: Float32Array): void {
  const index = data.findIndex((value) => !Number.isFinite(value));
  if (index >= 0) throw new SafetensorsError(path, name, 'finite numbers', `${data[index]} at index ${index}`);
}
