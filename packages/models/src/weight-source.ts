// Weights in files of any kind, seen the same way: what tensors there are, and each one's numbers when they are asked for.
import type { HostTensor } from './safetensors.js';

export interface WeightSource {
  /** The file or directory, for messages. */
  readonly path: string;
  /** Of every tensor its shape and the file that it lies in; no number has been read yet. */
  readonly entries: ReadonlyMap<string, { shape: readonly number[]; file: string }>;
  /** One tensor in float32, in an ArrayBuffer of its own. */
  read(name: string, options?: ReadTensorOptions): Promise<HostTensor>;
  close(): Promise<void>;
}

export interface ReadTensorOptions {
  /** A matrix is wanted as [columns, rows]. */
  transposed?: boolean;
  /** Refuse NaN and infinity, naming the tensor; costs one pass over the data. */
  requireFinite?: boolean;
}

/** The first number that is none, as the text of an error; null where all are finite. */
export function firstNonFinite(data: Float32Array): string | null {
  for (let i = 0; i < data.length; i++) if (!Number.isFinite(data[i])) return `${data[i]} at index ${i}`;
  return null;
}
