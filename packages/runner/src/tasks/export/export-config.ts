// Defines the config keys that task=export reads, and its result.
import type { OnnxPrecisionName, TensorTypeName } from '@bowyer/models';

export interface ExportConfig {
  model: string;
  format: 'gguf' | 'onnx' | 'hf';
  output: string;
  /** The data types of the weights that are written; a list is possible for ONNX only. */
  dtype: TensorTypeName | OnnxPrecisionName | OnnxPrecisionName[] | null;
  merge: boolean;
  license: string | null;
}

export interface Written {
  lines: string[];
  /** Sentences for the user about differences between the written files and the model. */
  notes: string[];
}

export const GGUF_ENDING = /\.gguf$/i;

/** Returns whether the output is a single GGUF file and not a folder, which its file name shows. */
export const isGgufFile = ({ format, output }: { format: unknown; output: unknown }): boolean =>
  format === 'gguf' && typeof output === 'string' && GGUF_ENDING.test(output);
