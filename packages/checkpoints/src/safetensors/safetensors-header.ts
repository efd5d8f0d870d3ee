// Reads the header of a safetensors file, and validates it before any tensor is read.
// Format: 8 bytes with the header's length (little-endian u64), a JSON header, then the tensors' bytes without gaps.
// Source: https://github.com/huggingface/safetensors#format

import { bytesPerElement, type Dtype } from '../io/dtype.js';
import { CheckpointError } from '../io/checkpoint-error.js';

export interface TensorEntry {
  name: string;
  dtype: Dtype;
  shape: number[];
  /** The first byte and the end (exclusive), relative to the start of the data, as in `data_offsets`. */
  begin: number;
  end: number;
}

/** The reference implementation's limit. A larger length means that the file is not a safetensors file. */
const maxHeaderBytes = 100_000_000;

/** Reads the length of the JSON header from the first eight bytes. */
export function readHeaderLength(path: string, firstBytes: Uint8Array, fileBytes: number): number {
  if (firstBytes.length < 8) {
    throw new CheckpointError(path, null, 'a header length in the first 8 bytes', `a file of ${fileBytes} bytes`);
  }
  const length = new DataView(firstBytes.buffer, firstBytes.byteOffset).getBigUint64(0, true);
  const most = Math.min(maxHeaderBytes, fileBytes - 8);
  if (length > most) {
    const isPointer = new TextDecoder().decode(firstBytes) === 'version ';
    throw new CheckpointError(
      path,
      null,
      `a header of at most ${most} bytes (the file has ${fileBytes})`,
      isPointer
        ? 'a Git LFS pointer instead of the file'
        : `a header length of ${length}: the file is cut off or is not a safetensors file`,
      isPointer ? "download the file itself: 'git lfs pull'" : undefined,
    );
  }
  return Number(length);
}

/**
 * Reads the tensors in the order of their bytes, and the metadata. The tensors must cover the data exactly: a gap, an overlap or
 * remaining bytes mean that a length is wrong.
 *
 * @param dataBytes size of the file after the header
 */
export function parseHeader(
  path: string,
  json: Uint8Array,
  dataBytes: number,
): { tensors: TensorEntry[]; metadata: Record<string, string> } {
  const { __metadata__: metadata = {}, ...entries } = parseJson(path, json);
  if (!isTextMap(metadata))
    throw new CheckpointError(
      path,
      null,
      '__metadata__ as an object of strings',
      JSON.stringify(metadata).slice(0, 40),
    );
  const tensors = Object.entries(entries).map(([name, entry]) => checkEntry(path, name, entry));
  tensors.sort((a, b) => a.begin - b.begin || a.end - b.end);
  const outside = tensors.find(({ end }) => end > dataBytes);
  if (outside)
    throw new CheckpointError(
      path,
      outside.name,
      `data_offsets ${outside.begin} to ${outside.end} inside the data`,
      `${dataBytes} bytes of data: the file is cut off`,
    );
  let position = 0;
  for (const { name, begin, end } of tensors) {
    if (begin !== position) {
      const fault = begin < position ? 'overlaps the tensor before it' : 'leaves a gap before it';
      throw new CheckpointError(path, name, `data_offsets that begin at ${position}`, `${begin}, which ${fault}`);
    }
    position = end;
  }
  if (position !== dataBytes) {
    throw new CheckpointError(
      path,
      null,
      `tensors that fill the ${dataBytes} bytes of data`,
      `${position} bytes of tensors`,
    );
  }
  return { tensors, metadata };
}

const isTextMap = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');

function parseJson(path: string, json: Uint8Array): Record<string, unknown> {
  const expected = `a JSON object as header, in the ${json.length} bytes given by the file's first 8`;
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
  } catch (error) {
    const { name, message } = error as Error;
    const found = name === 'SyntaxError' ? message : 'bytes that are not valid UTF-8';
    throw new CheckpointError(path, null, expected, found);
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) {
    throw new CheckpointError(path, null, expected, JSON.stringify(header).slice(0, 40));
  }
  return header as Record<string, unknown>;
}

function checkEntry(path: string, name: string, entry: unknown): TensorEntry {
  const {
    dtype,
    shape,
    data_offsets: offsets,
  } = (entry ?? {}) as { dtype?: string; shape?: number[]; data_offsets?: number[] };
  const fail = (expected: string, found: unknown, advice?: string) =>
    new CheckpointError(
      path,
      name,
      expected,
      typeof found === 'string' ? found : (JSON.stringify(found) ?? 'nothing'),
      advice,
    );
  if (dtype === undefined || !Object.hasOwn(bytesPerElement, dtype)) {
    const advice = 'save the model in float32, float16 or bfloat16';
    throw fail(`a dtype of ${Object.keys(bytesPerElement).join(', ')}`, dtype ?? 'none', advice);
  }
  if (!isListOfCounts(shape)) throw fail('a shape of integers', shape);
  if (!isListOfCounts(offsets) || offsets.length !== 2) throw fail('two data_offsets of at least 0', offsets);
  const [begin, end] = offsets;
  const bytes = shape.reduce((product, size) => product * size, 1) * bytesPerElement[dtype as Dtype];
  if (end - begin !== bytes) {
    throw fail(`${bytes} bytes for ${dtype} [${shape.join(', ')}]`, `${end - begin} (data_offsets ${begin} to ${end})`);
  }
  return { name, dtype: dtype as Dtype, shape, begin, end };
}

const isListOfCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
