// Weights in safetensors files: one file, or Hugging Face's sharded layout with model.safetensors.index.json.
import { open, readFile, stat, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';
import { bfloat16ToFloat32, float16ToFloat32 } from './half-precision.js';
import { parseHeader, readHeaderLength, SafetensorsError, type TensorEntry } from './safetensors-header.js';
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
      const data = toFloat32(path, entry, await readBytes(handle, dataStart + entry.begin, entry.end - entry.begin));
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

/** Bytes of `entry` as float32; float32 itself is not copied. */
function toFloat32(path: string, { name, dtype }: TensorEntry, { buffer }: Uint8Array<ArrayBuffer>): Float32Array {
  switch (dtype) {
    case 'F32':
      return new Float32Array(buffer);
    case 'F16':
      return float16ToFloat32(new Uint16Array(buffer));
    case 'BF16':
      return bfloat16ToFloat32(new Uint16Array(buffer));
    case 'F64':
      return Float32Array.from(new Float64Array(buffer));
    case 'I64':
      return exactly(path, name, Array.from(new BigInt64Array(buffer), Number));
    case 'I32':
      return exactly(path, name, new Int32Array(buffer));
    case 'I16':
      return Float32Array.from(new Int16Array(buffer));
    case 'I8':
      return Float32Array.from(new Int8Array(buffer));
    case 'U8':
    case 'BOOL':
      return Float32Array.from(new Uint8Array(buffer));
  }
}

/** float32 holds whole numbers up to 2²⁴. */
function exactly(path: string, name: string, values: ArrayLike<number>): Float32Array {
  const floats = Float32Array.from(values);
  for (let i = 0; i < floats.length; i++) {
    if (Math.abs(values[i]) > 2 ** 24)
      throw new SafetensorsError(path, name, 'whole numbers that float32 holds', `${values[i]} at index ${i}`);
  }
  return floats;
}

function checkFinite(path: string, name: string, data: Float32Array): void {
  const index = data.findIndex((value) => !Number.isFinite(value));
  if (index >= 0) throw new SafetensorsError(path, name, 'finite numbers', `${data[index]} at index ${index}`);
}
