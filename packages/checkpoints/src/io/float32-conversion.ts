import { bfloat16ToFloat32, float16ToFloat32 } from './half-precision.js';
import type { Dtype } from './dtype.js';

/** Converts little-endian bytes; float32 is not copied. @param fail makes the error for an integer without a float32 */
export function toFloat32(
  dtype: Dtype,
  buffer: ArrayBuffer,
  fail: (expected: string, found: string) => Error,
): Float32Array {
  switch (dtype) {
    case 'F32':
      return new Float32Array(buffer);
    case 'F16':
      return float16ToFloat32(new Uint16Array(buffer));
    case 'BF16':
      return bfloat16ToFloat32(new Uint16Array(buffer));
    case 'F64':
      return Float32Array.from(new Float64Array(buffer));
    case 'I64':
      return exactly(Array.from(new BigInt64Array(buffer), Number), fail);
    case 'I32':
      return exactly(new Int32Array(buffer), fail);
    case 'I16':
      return Float32Array.from(new Int16Array(buffer));
    case 'I8':
      return Float32Array.from(new Int8Array(buffer));
    case 'U8':
    case 'BOOL':
      return Float32Array.from(new Uint8Array(buffer));
  }
}

/** Converts integers. @throws if float32, which represents all integers up to 2²⁴, cannot represent one of them */
function exactly(values: ArrayLike<number>, fail: (expected: string, found: string) => Error): Float32Array {
  const floats = Float32Array.from(values);
  for (let i = 0; i < floats.length; i++) {
    if (Math.abs(values[i]) > 2 ** 24)
      throw fail('integers that float32 represents exactly', `${values[i]} at index ${i}`);
  }
  return floats;
}
