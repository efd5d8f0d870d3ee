// The common interface of all weight files: which tensors there are, and each one's data on request.
import type { HostTensor } from './host-tensor.js';
import { CheckpointError } from './checkpoint-error.js';
import type { Dtype } from './dtype.js';

export interface CheckpointReader {
  /** The file or directory, for messages. */
  readonly path: string;
  /** Name, shape and dtype of every tensor, known before its data is read. */
  readonly entries: ReadonlyMap<string, TensorInfo>;
  /** One tensor in float32, in an ArrayBuffer of its own. */
  read(name: string, options?: ReadTensorOptions): Promise<HostTensor>;
  close(): Promise<void>;
}

export interface TensorInfo {
  shape: readonly number[];
  dtype: Dtype;
  /** The file that contains it. */
  file: string;
}

/** What weights may be stored as. */
const floatTypes: readonly Dtype[] = ['F32', 'F16', 'BF16', 'F64'];

/** Integers or booleans are not weights: they come from a quantised model, or from another tensor's name. */
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

/** The first non-finite number, as the text of an error; null if all are finite. */
export function firstNonFinite(data: Float32Array): string | null {
  for (let i = 0; i < data.length; i++) if (!Number.isFinite(data[i])) return `${data[i]} at index ${i}`;
  return null;
}
