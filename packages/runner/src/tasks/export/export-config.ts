// Defines the keys that task=export reads, and its result.
import type { OnnxPrecisionName, TensorTypeName } from '@bowyer/models';

export interface ExportConfig {
  model: string;
  format: 'gguf' | 'onnx' | 'hf';
  output: string;
  /** Types of the written weights; a list for ONNX only. */
  dtype: TensorTypeName | OnnxPrecisionName | OnnxPrecisionName[] | null;
  merge: boolean;
  license: string | null;
}

export interface Written {
  lines: string[];
  /** Sentences about where the written files differ from the model, for the user. */
  notes: string[];
}

export const GGUF_ENDING = /\.gguf$/i;

/** Returns whether the output is a single GGUF file, by its name, and not a folder. */
export const isGgufFile = ({ format, output }: { format: unknown; output: unknown }): boolean =>
  format === 'gguf' && typeof output === 'string' && GGUF_ENDING.test(output);
