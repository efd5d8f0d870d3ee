// The element types of tensors in weight files, under the names that safetensors gives them.

export type Dtype = keyof typeof bytesPerElement;

/** Types that can be read into float32; all are stored little-endian. */
export const bytesPerElement = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
} as const;
