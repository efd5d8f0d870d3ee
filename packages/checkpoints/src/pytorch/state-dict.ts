// Reads PyTorch's weight files (.pt, .pth, pytorch_model.bin) without running code in them.
import type { HostTensor, HostTensors } from '../io/host-tensor.js';
import { bytesPerElement } from '../io/dtype.js';
import { readFloat32 } from '../io/tensor-data.js';
import { firstNonFinite, nonFiniteAdvice, type CheckpointReader } from '../io/checkpoint-reader.js';
import { ByteSource } from '../io/byte-source.js';
import { openTorchFile, type TorchFile } from './torch-file.js';
import type { TorchTensor } from './torch-names.js';
import { WeightsFileError } from '../io/weights-file-error.js';

export interface StateDictOptions {
  /** The key of the state dict in the file, such as `critic_state_dict`; default: the usual keys are tried. */
  section?: string;
}

/** The keys under which training scripts store weights. The first is ArCHer's. */
const usualSections = ['model_state_dict', 'state_dict', 'model', 'module'];

/**
 * Reads the tensors of a state dict as float32, each into its own ArrayBuffer. Apart from the results, one tensor is in memory at
 * a time. Other entries (epochs, notes) are skipped.
 */
export async function readPyTorchStateDict(path: string, options: StateDictOptions = {}): Promise<HostTensors> {
  const source = await openPyTorchStateDict(path, options);
  try {
    const tensors: [string, HostTensor][] = [];
    for (const name of source.entries.keys()) tensors.push([name, await source.read(name)]);
    return Object.fromEntries(tensors);
  } finally {
    await source.close();
  }
}

/** Opens a state dict, whose tensors are read on request. */
export async function openPyTorchStateDict(
  path: string,
  { section }: StateDictOptions = {},
): Promise<CheckpointReader> {
  const source = await ByteSource.open(path);
  try {
    const file = await openTorchFile(source);
    const tensors = new Map(tensorsOf(stateDict(path, file, section)));
    return {
      path,
      entries: new Map(
        [...tensors].map(([name, { shape, storage }]) => [name, { shape, dtype: storage.dtype, file: path }]),
      ),
      read: async (name, { transposed = false, requireFinite = false } = {}) => {
        const tensor = await readTensor(
          source,
          file,
          name,
          transposed ? transposedView(tensors.get(name)!) : tensors.get(name)!,
        );
        const wrong = requireFinite ? firstNonFinite(tensor.data) : null;
        if (wrong !== null)
          throw new WeightsFileError(
            path,
            `tensor '${name}': expected finite numbers, found ${wrong}`,
            nonFiniteAdvice,
          );
        return tensor;
      },
      close: () => source.close(),
    };
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** Returns a transposed view of the same storage. */
const transposedView = (tensor: TorchTensor): TorchTensor => ({
  ...tensor,
  shape: [...tensor.shape].reverse(),
  stride: [...tensor.stride].reverse(),
});

type Dictionary = Map<unknown, unknown>;

const isTensor = (value: unknown): value is TorchTensor => (value as TorchTensor | null | undefined)?.kind === 'tensor';

const tensorsOf = (dictionary: Dictionary) =>
  [...dictionary].filter((entry): entry is [string, TorchTensor] => typeof entry[0] === 'string' && isTensor(entry[1]));

function stateDict(path: string, { value }: TorchFile, section: string | undefined): Dictionary {
  if (!(value instanceof Map))
    throw new WeightsFileError(path, 'it contains no dictionary of tensors', 'save a state_dict() with torch.save');
  const dictionary = value as Dictionary;
  if (section === undefined && tensorsOf(dictionary).length > 0) return dictionary;
  const sections = section === undefined ? usualSections : [section];
  const found = sections
    .map((name) => dictionary.get(name))
    .find((inner) => inner instanceof Map && tensorsOf(inner).length > 0);
  if (found) return found as Dictionary;
  const holding = [...dictionary].filter(([, inner]) => inner instanceof Map && tensorsOf(inner).length > 0);
  throw new WeightsFileError(
    path,
    `it has no tensors under ${sections.join(', ')}`,
    holding.length
      ? `it has some under ${holding.map(([name]) => String(name)).join(', ')}: name that section`
      : 'it has none elsewhere',
  );
}

async function readTensor(source: ByteSource, file: TorchFile, name: string, tensor: TorchTensor): Promise<HostTensor> {
  const { storage, offset, shape, stride } = tensor;
  const count = shape.reduce((product, size) => product * size, 1);
  const elements = count === 0 ? 0 : shape.reduce((last, size, axis) => last + (size - 1) * stride[axis], 0) + 1;
  // Tensors of a model never repeat elements of their storage. A damaged file could do so to demand any amount of memory.
  const needed = Math.max(offset + elements, count);
  if (needed > storage.size)
    throw new WeightsFileError(
      source.path,
      `tensor '${name}' [${shape.join(', ')}] needs ${needed} elements of its storage, which has ${storage.size}`,
    );
  const start = file.position(storage) + offset * bytesPerElement[storage.dtype];
  await file.check(storage);
  const data = await readFloat32({
    dtype: storage.dtype,
    shape: [elements],
    read: (from, target) => source.fill(start + from, target, `tensor '${name}'`),
    fail: (expected, found) =>
      new WeightsFileError(source.path, `tensor '${name}': expected ${expected}, found ${found}`),
  });
  return { shape, data: isContiguous(shape, stride) ? data : gathered(data, shape, stride, count) };
}

function isContiguous(shape: number[], stride: number[]): boolean {
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] !== 1 && stride[axis] !== expected) return false;
    expected *= shape[axis];
  }
  return true;
}

/** Copies a strided view to row-major order. */
function gathered(data: Float32Array, shape: number[], stride: number[], count: number): Float32Array {
  const result = new Float32Array(count);
  const index = shape.map(() => 0);
  let from = 0;
  for (let to = 0; to < count; to++) {
    result[to] = data[from];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += stride[axis];
      if (++index[axis] < shape[axis]) break;
      from -= stride[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return result;
}
