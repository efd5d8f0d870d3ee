// Reads and writes weights in safetensors files: one file, or Hugging Face's shards with model.safetensors.index.json.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';
import type { HostTensor, HostTensors } from '../io/host-tensor.js';
import { indexName, openSafetensors, SafetensorsFile, singleName } from './safetensors-file.js';
import { requireFloats, type CheckpointReader } from '../io/checkpoint-reader.js';
import { writeChunksAtomically } from '../io/write-chunks-atomically.js';

/** Arrays to write. Bytes are stored as U8, floats as F32. */
export type WritableTensors = Record<string, { shape: number[]; data: Float32Array | Uint8Array }>;

export interface ReadOptions {
  /** Returns whether to read the tensor with this name. */
  filter?: (name: string) => boolean;
  /** Whether NaN, infinity and tensors that are not floats are errors, which name the tensor. It costs one pass over the data. */
  requireFinite?: boolean;
}

/**
 * Reads the tensors of a file, each into its own ArrayBuffer (which can be transferred to a worker). 16-bit and 64-bit floats are
 * converted to float32, and so are integers that float32 represents exactly.
 */
export async function readSafetensors(path: string, options: ReadOptions = {}): Promise<HostTensors> {
  return (await readSafetensorsFile(path, options)).tensors;
}

/** Reads tensors like `readSafetensors`, and the file's metadata. */
export async function readSafetensorsFile(
  path: string,
  options: ReadOptions = {},
): Promise<{ tensors: HostTensors; metadata: Record<string, string> }> {
  const file = await SafetensorsFile.open(path);
  try {
    return { tensors: await readAll(file, options), metadata: file.metadata };
  } finally {
    await file.close();
  }
}

async function readAll(
  source: CheckpointReader,
  { filter = () => true, requireFinite }: ReadOptions,
): Promise<HostTensors> {
  const tensors: [string, HostTensor][] = [];
  for (const [name, entry] of source.entries) {
    if (!filter(name)) continue;
    if (requireFinite) requireFloats(name, entry);
    tensors.push([name, await source.read(name, { requireFinite })]);
  }
  return Object.fromEntries(tensors);
}

/** Writes tensors to one file atomically. The metadata `format: pt` is required by Python's transformers. */
export async function writeSafetensors(
  path: string,
  tensors: WritableTensors,
  metadata: Record<string, string> = { format: 'pt' },
): Promise<void> {
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    const count = elements(shape);
    if (count !== data.length) {
      throw new RangeError(
        `writeSafetensors: '${name}' has shape [${shape.join(', ')}], which is ${count} values, and data of ${data.length}`,
      );
    }
  }
  await writeStreamed(path, inMemory(tensors), metadata);
}

/** Tensors to write that `data` makes one by one, so that they are never in memory together. */
interface TensorStream {
  shapes: ReadonlyMap<string, readonly number[]>;
  /** The names of tensors of bytes. All others are float32. */
  bytes?: ReadonlySet<string>;
  data: (name: string) => Promise<Float32Array> | Float32Array | Uint8Array;
}

const inMemory = (tensors: WritableTensors): TensorStream => ({
  shapes: new Map(Object.entries(tensors).map(([name, { shape }]) => [name, shape])),
  bytes: new Set(Object.keys(tensors).filter((name) => tensors[name].data.BYTES_PER_ELEMENT === 1)),
  data: (name) => tensors[name].data,
});

const elements = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);

async function writeStreamed(path: string, tensors: TensorStream, metadata: Record<string, string>): Promise<void> {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const [name, shape] of tensors.shapes) {
    const [dtype, size] = tensors.bytes?.has(name) ? ['U8', 1] : ['F32', 4];
    header[name] = { dtype, shape, data_offsets: [end, (end += size * elements(shape))] };
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const start = new Uint8Array(8 + Math.ceil(json.length / 8) * 8).fill(0x20); // trailing spaces align the data to 8 bytes
  new DataView(start.buffer).setBigUint64(0, BigInt(start.length - 8), true);
  start.set(json, 8);
  await writeChunksAtomically(path, chunks(start, tensors));
}

async function* chunks(start: Uint8Array, { shapes, data }: TensorStream): AsyncGenerator<Uint8Array> {
  yield start;
  for (const name of shapes.keys()) {
    const values = await data(name);
    yield new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  }
}

/** Reads the weights of a Hugging Face directory: `model.safetensors`, or the shards that `model.safetensors.index.json` lists. */
export async function readWeights(dir: string, options: ReadOptions = {}): Promise<HostTensors> {
  const source = await openSafetensors(dir);
  try {
    return await readAll(source, options);
  } finally {
    await source.close();
  }
}

/** Writes `model.safetensors`, or shards of at most `maxShardBytes` with an index, like Python's `save_pretrained`. */
export async function writeWeights(dir: string, tensors: HostTensors, { maxShardBytes = 5e9 } = {}): Promise<void> {
  await writeWeightStream(dir, inMemory(tensors), { maxShardBytes });
}

/** Writes weights like `writeWeights`, with one tensor in memory at a time. */
export async function writeWeightStream(
  dir: string,
  { shapes, data }: TensorStream,
  { maxShardBytes = 5e9 } = {},
): Promise<void> {
  const metadata = { format: 'pt' };
  const shards = splitIntoShards(shapes, maxShardBytes);
  if (shards.length <= 1) return writeStreamed(join(dir, singleName), { shapes, data }, metadata);
  const weightMap: Record<string, string> = {};
  const number = (n: number) => String(n).padStart(5, '0');
  for (const [i, shard] of shards.entries()) {
    const file = `model-${number(i + 1)}-of-${number(shards.length)}.safetensors`;
    await writeStreamed(join(dir, file), { shapes: shard, data }, metadata);
    for (const name of shard.keys()) weightMap[name] = file;
  }
  const totalSize = [...shapes.values()].reduce((sum, shape) => sum + 4 * elements(shape), 0);
  // The index is written after the shards, so that it never names a missing one.
  await writeFileAtomically(
    join(dir, indexName),
    JSON.stringify({ metadata: { total_size: totalSize }, weight_map: weightMap }, null, 2),
  );
  await rm(join(dir, singleName), { force: true }); // from an earlier save: readers would prefer it to the index
}

/** Distributes consecutive tensors over shards, as many per shard as fit. A tensor above the limit has its own shard. */
function splitIntoShards(shapes: TensorStream['shapes'], maxBytes: number): Map<string, readonly number[]>[] {
  const shards: Map<string, readonly number[]>[] = [];
  let room = 0;
  for (const [name, shape] of shapes) {
    const bytes = 4 * elements(shape);
    if (bytes > room) {
      shards.push(new Map());
      room = maxBytes;
    }
    shards.at(-1)!.set(name, shape);
    room -= bytes;
  }
  return shards;
}
