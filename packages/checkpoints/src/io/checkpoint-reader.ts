// The common interface of all weight files: which tensors there are, and each one's data on request.
import type { HostTensor } from './host-tensor.js';
import { CheckpointError } from './checkpoint-error.js';
import type { Dtype } from './dtype.js';

export interface CheckpointReader {
  /** The file or directory, for messages. */
  readonly path: string;
  /** Name, shape and dtype of every tensor, known before its data is read. */
  readonly entries: ReadonlyMap<string, TensorInfo>;
  /** Reads one tensor in float32, into an ArrayBuffer of its own. */
  read(name: string, options?: ReadTensorOptions): Promise<HostTensor>;
  close(): Promise<void>;
}

export interface TensorInfo {
  shape: readonly number[];
  dtype: Dtype;
  /** The file that contains it. */
  file: string;
}

/** The types in which weights may be stored. */
const floatTypes: readonly Dtype[] = ['F32', 'F16', 'BF16', 'F64'];

/** Refuses integers and booleans, which are not weights: they come from a quantised model, or from another tensor's name. */
export function requireFloats(name: string, { dtype, file }: TensorInfo): void {
  if (floatTypes.includes(dtype)) return;
  const advice = 'quantised weights cannot be read: use the model in float32, float16 or bfloat16';
  throw new CheckpointError(file, name, `a dtype of ${floatTypes.join(', ')}`, dtype, advice);
}

export interface ReadTensorOptions {
  /** A matrix is wanted as [columns, rows]. */
  transposed?: boolean;
  /** Refuse NaN and infinity, naming the tensor; costs one pass over the data. */
  requireFinite?: boolean;
}

/** Advice for what `firstNonFinite` finds. */
export const nonFiniteAdvice =
  'training diverged or the file is damaged: use an earlier checkpoint or download it again';

/** Returns the first non-finite number, as the text of an error; null if all are finite. @param start index of `data[0]` in the tensor */
export function firstNonFinite(data: Float32Array, start = 0): string | null {
  if (allFinite(data)) return null;
  const at = data.findIndex((value) => !Number.isFinite(value));
  return `${data[at]} at index ${start + at}`;
}

/** Returns whether all numbers are finite: NaN and infinity have an exponent of all ones, so adding one to it carries into the sign. */
function allFinite({ buffer, byteOffset, length }: Float32Array): boolean {
  const words = new Int32Array(buffer, byteOffset, length);
  let carries = 0;
  for (let i = 0; i < length; i++) carries |= (words[i] & 0x7f800000) + 0x00800000;
  return carries >= 0;
}
