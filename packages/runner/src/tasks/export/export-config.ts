// The keys that task=export reads, and its result.
import type { TensorTypeName } from '@bowyer/models';

export interface ExportConfig {
  model: string;
  format: 'gguf' | 'hf';
  output: string;
  dtype: TensorTypeName | null;
  merge: boolean;
  license: string | null;
}

export interface Written {
  lines: string[];
  /** Differences between the model here and what was written. */
  notes: string[];
}
