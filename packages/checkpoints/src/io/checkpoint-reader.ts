// Declares the common interface of weight files: a list of the tensors, whose data are read on request.
import type { HostTensor } from './host-tensor.js';
import { CheckpointError } from './checkpoint-error.js';
import type { Dtype } from './dtype.js';

export interface CheckpointReader {
  /** The path of the file or directory, which error messages name. */
  readonly path: string;
  /** Shape and dtype of every tensor by name. They are known before any data is read. */
  readonly entries: ReadonlyMap<string, TensorInfo>;
  /** Reads a tensor as float32 into its own ArrayBuffer. */
  read(name: string, options?: ReadTensorOptions): Promise<HostTensor>;
  close(): Promise<void>;
}

export interface TensorInfo {
  shape: readonly number[];
  dtype: Dtype;
  file: string;
}

const floatTypes: readonly Dtype[] = ['F32', 'F16', 'BF16', 'F64'];

/** Throws for integers or booleans, which cannot be a weight: the model is quantised, or the tensor has another meaning. */
export function requireFloats(name: string, { dtype, file }: TensorInfo): void {
  if (floatTypes.includes(dtype)) return;
  const advice = 'quantised weights cannot be read: use the model in float32, float16 or bfloat16';
  throw new CheckpointError(file, name, `a dtype of ${floatTypes.join(', ')}`, dtype, advice);
}

export interface ReadTensorOptions {
  /** Whether a matrix is returned as [columns, rows]. */
  transposed?: boolean;
  /** Whether NaN and infinity are errors, which name the tensor. It costs one pass over the data. */
  requireFinite?: boolean;
}

/** The remedy in error messages about a weight that is NaN or infinite. */
export const nonFiniteAdvice =
  'training diverged or the file is damaged: use an earlier checkpoint or download it again';

/** Describes the first NaN or infinity for an error message; null if there is none. `start` is the index of `data[0]`. */
export function firstNonFinite(data: Float32Array, start = 0): string | null {
  if (allFinite(data)) return null;
  const at = data.findIndex((value) => !Number.isFinite(value));
  return `${data[at]} at index ${start + at}`;
}

/** Returns whether all numbers are finite. Adding one to the all-ones exponent of NaN and infinity carries into the sign. */
function allFinite({ buffer, byteOffset, length }: Float32Array): boolean {
  const words = new Int32Array(buffer, byteOffset, length);
  let carries = 0;
  for (let i = 0; i < length; i++) carries |= (words[i] & 0x7f800000) + 0x00800000;
  return carries >= 0;
}
