// Lists the element types of tensors in weight files, by the names of safetensors.

export type Dtype = keyof typeof bytesPerElement;

/** The element sizes of dtypes that can be converted to float32. All are little-endian. */
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
