// The keys that task=export reads, and its result.
import type { OnnxPrecisionName, TensorTypeName } from '@bowyer/models';

export interface ExportConfig {
  model: string;
  format: 'gguf' | 'onnx' | 'hf';
  output: string;
  /** Types of the format; a list in ONNX alone. */
  dtype: TensorTypeName | OnnxPrecisionName | OnnxPrecisionName[] | null;
  merge: boolean;
  license: string | null;
}

export interface Written {
  lines: string[];
  /** Differences between the model here and what was written. */
  notes: string[];
}
