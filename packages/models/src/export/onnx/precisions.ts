// Names the precisions of models for transformers.js, and of their files, as that library does.
// Source: src/utils/dtypes.js of huggingface/transformers.js 4.3.
import type { CausalArchitecture } from '../../architecture/architecture.js';
import { weightLayouts, type Quantization, type WeightLayouts } from '../../quantization/weight-layouts.js';

interface OnnxPrecision {
  file: string;
  /** The type of weights, caches and most of the computation. */
  float: 'float32' | 'float16';
  /** Whether the weights of linear layers are quantised in blocks of 8 or 4 bits. */
  quantization: Quantization;
  /** Whether the output head is in `float`, since ONNX Runtime 1.21, which transformers.js 3 runs in Node, has no 8-bit products. */
  keepsHead?: true;
}

export const onnxPrecisions = {
  fp32: { file: 'model.onnx', float: 'float32', quantization: 'none' },
  fp16: { file: 'model_fp16.onnx', float: 'float16', quantization: 'none' },
  q8: { file: 'model_quantized.onnx', float: 'float32', quantization: '8bit' },
  q4: { file: 'model_q4.onnx', float: 'float32', quantization: '4bit' },
  q4f16: { file: 'model_q4f16.onnx', float: 'float16', quantization: '4bit', keepsHead: true },
} as const satisfies Record<string, OnnxPrecision>;

/** Returns the layouts of the weights that the file has quantised. */
export function layoutsIn(precision: OnnxPrecision, architecture: CausalArchitecture): WeightLayouts {
  const layouts = weightLayouts(architecture, precision.quantization);
  if (precision.keepsHead === undefined) return layouts;
  return (name, shape) => {
    const layout = layouts(name, shape);
    return layout?.isHead === true ? undefined : layout;
  };
}

export type OnnxPrecisionName = keyof typeof onnxPrecisions;
