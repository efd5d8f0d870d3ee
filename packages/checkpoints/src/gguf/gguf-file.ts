// Opens GGUF files: reads and checks the metadata and the descriptions of the tensors; tensors are read on request. Source of the
// format: docs/gguf.md of ggml-org/ggml, versions 2 and 3; everything is little-endian.
import { ByteSource } from '../io/byte-source.js';
import { firstNonFinite, nonFiniteAdvice } from '../io/checkpoint-reader.js';
import { WeightsFileError } from '../io/weights-file-error.js';
import { decodeGgufBlocks, ggufBytesOf, ggufTypes, type GgufTypeName } from './gguf-types.js';

/** The codes of value types in the metadata. */
export const ggufValueCodes = {
  uint8: 0,
  int8: 1,
  uint16: 2,
  int16: 3,
  uint32: 4,
  int32: 5,
  float32: 6,
  bool: 7,
  string: 8,
  array: 9,
  uint64: 10,
  int64: 11,
  float64: 12,
} as const;

/** A value of the metadata. 64-bit integers become numbers. */
export type GgufValue = number | boolean | string | readonly GgufValue[];

export interface GgufTensorInfo {
  /** Row-major, with the innermost size last; the file has the reverse order. */
  shape: readonly number[];
  type: GgufTypeName;
  /** The offset of the tensor's first byte in the file. */
  position: number;
}

/** The number of bytes per read while the header is parsed. */
const WINDOW = 1 << 20;
const MAX_DIMENSIONS = 4;

export class GgufFile {
  private constructor(
    readonly path: string,
    private readonly bytes: ByteSource,
    readonly metadata: ReadonlyMap<string, GgufValue>,
    readonly tensors: ReadonlyMap<string, GgufTensorInfo>,
  ) {}

  /** Opens a file. @throws WeightsFileError if it is not GGUF, is incomplete, or has a tensor of an unsupported type */
  static async open(path: string): Promise<GgufFile> {
    const bytes = await ByteSource.open(path);
    try {
      const cursor = new Cursor(bytes);
      const { metadata, tensors } = await readHeader(path, cursor);
      return new GgufFile(path, bytes, metadata, tensors);
    } catch (error) {
      await bytes.close();
      throw error;
    }
  }

  /** Reads a tensor, or slice `part` of its first axis, as float32. @throws WeightsFileError for NaN and infinity */
  async read(name: string, part?: number): Promise<Float32Array<ArrayBuffer>> {
    const { shape, type, position } = this.tensors.get(name)!;
    const own = part === undefined ? shape : shape.slice(1);
    const length = ggufBytesOf(ggufTypes[type], own);
    const bytes = await this.bytes.read(position + length * (part ?? 0), length, `'${name}'`);
    const numbers = decodeGgufBlocks(type, bytes);
    const wrong = firstNonFinite(numbers);
    if (wrong === null) return numbers;
    throw new WeightsFileError(this.path, `tensor '${name}': expected finite numbers, found ${wrong}`, nonFiniteAdvice);
  }

  close(): Promise<void> {
    return this.bytes.close();
  }
}

async function readHeader(path: string, cursor: Cursor) {
  const fail = (problem: string, remedy?: string) => new WeightsFileError(path, problem, remedy);
  const magic = new TextDecoder('latin1').decode(await cursor.take(4, 'the first four bytes'));
  if (magic !== 'GGUF') throw fail(`it begins with ${JSON.stringify(magic)}, a GGUF file with "GGUF"`);
  const version = await cursor.number('uint32');
  if (version !== 2 && version !== 3)
    throw fail(
      version > 0xffff ? 'its numbers are big-endian' : `it is of version ${version} of the format`,
      'versions 2 and 3 are read, little-endian: convert the model again with a current llama.cpp',
    );
  const [tensorCount, entryCount] = [await cursor.number('uint64'), await cursor.number('uint64')];
  const metadata = new Map<string, GgufValue>();
  for (let i = 0; i < entryCount; i++) {
    const key = await cursor.text();
    if (metadata.has(key)) throw fail(`its metadata has ${JSON.stringify(key)} twice`);
    metadata.set(key, await cursor.value(await cursor.number('uint32')));
  }
  const described: (Omit<GgufTensorInfo, 'position'> & { name: string; offset: number })[] = [];
  for (let i = 0; i < tensorCount; i++) {
    const name = await cursor.text();
    const dimensions = await cursor.number('uint32');
    if (dimensions > MAX_DIMENSIONS) throw fail(`tensor '${name}' has ${dimensions} dimensions, at most 4 are allowed`);
    const shape: number[] = [];
    for (let axis = 0; axis < dimensions; axis++) shape.unshift(await cursor.number('uint64'));
    const type = typeOf(name, await cursor.number('uint32'), fail);
    if ((shape.at(-1) ?? 1) % ggufTypes[type].block !== 0)
      throw fail(`tensor '${name}' has rows of ${shape.at(-1)} numbers, which do not divide into blocks of ${type}`);
    described.push({ name, shape, type, offset: await cursor.number('uint64') });
  }
  const alignment = metadata.get('general.alignment') ?? 32;
  if (typeof alignment !== 'number' || !(alignment > 0) || alignment % 8 !== 0)
    throw fail(`general.alignment is ${JSON.stringify(alignment)}, which must be a multiple of 8`);
  const start = Math.ceil(cursor.position / alignment) * alignment;
  const tensors = new Map<string, GgufTensorInfo>();
  for (const { name, offset, ...info } of described) {
    if (tensors.has(name)) throw fail(`it has tensor '${name}' twice`);
    const end = start + offset + ggufBytesOf(ggufTypes[info.type], info.shape);
    if (offset % alignment !== 0)
      throw fail(`tensor '${name}' begins at ${offset}, which is not a multiple of ${alignment}`);
    if (end > cursor.size)
      throw fail(`tensor '${name}' ends at byte ${end}, the file has ${cursor.size} bytes`, 'download it again');
    tensors.set(name, { ...info, position: start + offset });
  }
  return { metadata, tensors };
}

function typeOf(name: string, code: number, fail: (problem: string, remedy: string) => Error): GgufTypeName {
  const found = (Object.keys(ggufTypes) as GgufTypeName[]).find((type) => ggufTypes[type].code === code);
  if (found !== undefined) return found;
  const known = Object.keys(ggufTypes).join(', ').toUpperCase();
  throw fail(
    `tensor '${name}' is of GGUF's type ${code}, which is not read`,
    `read are ${known}: choose a file of another quantisation, e.g. Q4_K_M or Q8_0`,
  );
}

type NumberName = Exclude<keyof typeof ggufValueCodes, 'bool' | 'string' | 'array'>;

const readers: Readonly<Record<NumberName, [bytes: number, read: (view: DataView) => number]>> = {
  uint8: [1, (view) => view.getUint8(0)],
  int8: [1, (view) => view.getInt8(0)],
  uint16: [2, (view) => view.getUint16(0, true)],
  int16: [2, (view) => view.getInt16(0, true)],
  uint32: [4, (view) => view.getUint32(0, true)],
  int32: [4, (view) => view.getInt32(0, true)],
  float32: [4, (view) => view.getFloat32(0, true)],
  uint64: [8, (view) => Number(view.getBigUint64(0, true))],
  int64: [8, (view) => Number(view.getBigInt64(0, true))],
  float64: [8, (view) => view.getFloat64(0, true)],
};

const namesByCode = new Map(Object.entries(ggufValueCodes).map(([name, code]) => [code as number, name]));

/** Reads a file sequentially, one block of it at a time. */
class Cursor {
  position = 0;
  #window = new Uint8Array(0);
  #windowStart = 0;

  constructor(private readonly bytes: ByteSource) {}

  get size(): number {
    return this.bytes.size;
  }

  async take(length: number, what: string): Promise<Uint8Array> {
    const from = this.position - this.#windowStart;
    if (from + length > this.#window.length) {
      const wanted = Math.max(length, Math.min(WINDOW, this.bytes.size - this.position));
      this.#window = await this.bytes.read(this.position, wanted, what);
      this.#windowStart = this.position;
    }
    const start = this.position - this.#windowStart;
    this.position += length;
    return this.#window.subarray(start, start + length);
  }

  async number(type: NumberName): Promise<number> {
    const [length, read] = readers[type];
    const bytes = await this.take(length, 'the header');
    return read(new DataView(bytes.buffer, bytes.byteOffset, length));
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.take(await this.number('uint64'), 'a text of the header'));
  }

  async value(code: number): Promise<GgufValue> {
    const name = namesByCode.get(code);
    if (name === undefined)
      throw new WeightsFileError(this.bytes.path, `its metadata has a value of type ${code}, which GGUF does not have`);
    if (name === 'string') return this.text();
    if (name === 'bool') return (await this.number('uint8')) !== 0;
    if (name !== 'array') return this.number(name as NumberName);
    const element = await this.number('uint32');
    const length = await this.number('uint64');
    const values: GgufValue[] = [];
    for (let i = 0; i < length; i++) values.push(await this.value(element));
    return values;
  }
}
