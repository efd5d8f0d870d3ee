// The types of numbers that a model for transformers.js comes in, by that library's names for them, and its names of their files.
// Source: src/utils/dtypes.js of huggingface/transformers.js 4.3.
import type { Quantization } from '../../quantization/weight-layouts.js';

export interface OnnxPrecision {
  file: string;
  /** The type of weights, caches and most of the computation. */
  float: 'float32' | 'float16';
  /** The weights of linear layers in blocks of 8 or 4 bits. */
  quantization: Quantization;
}

export const onnxPrecisions = {
  fp32: { file: 'model.onnx', float: 'float32', quantization: 'none' },
  fp16: { file: 'model_fp16.onnx', float: 'float16', quantization: 'none' },
  q8: { file: 'model_quantized.onnx', float: 'float32', quantization: '8bit' },
  q4: { file: 'model_q4.onnx', float: 'float32', quantization: '4bit' },
} as const satisfies Record<string, OnnxPrecision>;

export type OnnxPrecisionName = keyof typeof onnxPrecisions;
