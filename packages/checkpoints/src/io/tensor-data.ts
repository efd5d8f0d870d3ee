// Reads one tensor's data into float32 without a second copy: block by block where the dtype changes.
import { toFloat32 } from './float32-conversion.js';
import { bfloat16ToFloat32, float16ToFloat32 } from './half-precision.js';
import { bytesPerElement, type Dtype } from './dtype.js';

export interface TensorData {
  dtype: Dtype;
  /** Row-major in the file. */
  shape: readonly number[];
  /** Fills `target` with the file's bytes from `offset`, counted from the tensor's first byte. */
  read: (offset: number, target: Uint8Array) => Promise<void>;
  /** The error for an integer too large for float32. */
  fail: (expected: string, found: string) => Error;
}

/** Elements of a block: 4 MiB of float32. */
const BLOCK = 1 << 20;

/** The numbers in the file's order; float32 goes straight into the result. */
export async function readFloat32({ dtype, shape, read, fail }: TensorData): Promise<Float32Array> {
  const count = shape.reduce((product, size) => product * size, 1);
  if (dtype !== 'F32' && dtype !== 'F16' && dtype !== 'BF16') {
    const bytes = new Uint8Array(count * bytesPerElement[dtype]);
    await read(0, bytes);
    return toFloat32(dtype, bytes.buffer, fail);
  }
  const values = new Float32Array(count);
  if (dtype === 'F32') {
    await read(0, new Uint8Array(values.buffer));
    return values;
  }
  const bits = new Uint16Array(Math.min(BLOCK, count));
  for (let start = 0; start < count; start += bits.length) {
    const some = bits.subarray(0, Math.min(bits.length, count - start));
    await read(2 * start, new Uint8Array(some.buffer, 0, some.byteLength));
    const target = values.subarray(start, start + some.length);
    (dtype === 'F16' ? float16ToFloat32 : bfloat16ToFloat32)(some, target);
  }
  return values;
}

/** The transposed of a matrix: [rows, columns] in the file, [columns, rows] in the result. */
export async function readFloat32Transposed(stored: TensorData): Promise<Float32Array> {
  const [rows, columns] = stored.shape;
  const result = new Float32Array(rows * columns);
  const rowsPerBlock = Math.max(1, Math.floor(BLOCK / columns));
  for (let start = 0; start < rows; start += rowsPerBlock) {
    const count = Math.min(rowsPerBlock, rows - start);
    const offset = start * columns * bytesPerElement[stored.dtype];
    const block = await readFloat32({
      ...stored,
      shape: [count, columns],
      read: (from, target) => stored.read(offset + from, target),
    });
    transposeInto(result.subarray(start), block, count, columns, rows);
  }
  return result;
}

/** target[c · stride + r] = block[r · columns + c], in squares that stay in the cache. */
function transposeInto(target: Float32Array, block: Float32Array, rows: number, columns: number, stride: number): void {
  const square = 32;
  for (let r0 = 0; r0 < rows; r0 += square) {
    const rEnd = Math.min(r0 + square, rows);
    for (let c0 = 0; c0 < columns; c0 += square) {
      const cEnd = Math.min(c0 + square, columns);
      for (let c = c0; c < cEnd; c++) for (let r = r0; r < rEnd; r++) target[c * stride + r] = block[r * columns + c];
    }
  }
}
