// Weights in files of any kind, seen the same way: what tensors there are, and each one's numbers when they are asked for.
import type { HostTensor } from './host-tensor.js';
import { SafetensorsError } from './safetensors-error.js';
import type { Dtype } from './dtype.js';

export interface WeightSource {
  /** The file or directory, for messages. */
  readonly path: string;
  /** What is known of every tensor before a number of it is read. */
  readonly entries: ReadonlyMap<string, StoredTensor>;
  /** One tensor in float32, in an ArrayBuffer of its own. */
  read(name: string, options?: ReadTensorOptions): Promise<HostTensor>;
  close(): Promise<void>;
}

export interface StoredTensor {
  shape: readonly number[];
  dtype: Dtype;
  /** The file that it lies in. */
  file: string;
}

/** What weights may be stored as. */
const floatTypes: readonly Dtype[] = ['F32', 'F16', 'BF16', 'F64'];

/** A weight of whole numbers or truth values is none: it comes of a quantised model, or of another tensor's name. */
export function requireFloats(name: string, { dtype, file }: StoredTensor): void {
  if (floatTypes.includes(dtype)) return;
  const advice = 'quantised weights are not read: take the model in float32, float16 or bfloat16';
  throw new SafetensorsError(file, name, `a dtype of ${floatTypes.join(', ')}`, dtype, advice);
}

export interface ReadTensorOptions {
  /** A matrix is wanted as [columns, rows]. */
  transposed?: boolean;
  /** Refuse NaN and infinity, naming the tensor; costs one pass over the data. */
  requireFinite?: boolean;
}

/** How to mend what `firstNonFinite` finds. */
export const nonFiniteAdvice =
  'training went astray or the file is damaged: take an earlier checkpoint or fetch it again';

/** The first number that is none, as the text of an error; null where all are finite. */
export function firstNonFinite(data: Float32Array): string | null {
  for (let i = 0; i < data.length; i++) if (!Number.isFinite(data[i])) return `${data[i]} at index ${i}`;
  return null;
}
