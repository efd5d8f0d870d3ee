// Reads a tensor's data as float32 without a second copy; other dtypes are converted block by block.
import { freeMemory } from '@bowyer/core';
import { toFloat32 } from './float32-conversion.js';
import { expandBfloat16, float16ToFloat32 } from './half-precision.js';
import { bytesPerElement, type Dtype } from './dtype.js';

export interface TensorData {
  dtype: Dtype;
  /** The shape of the tensor, whose numbers are in row-major order in the file. */
  shape: readonly number[];
  /** Fills `target` with bytes from `offset` on, counted from the tensor's first byte. */
  read: (offset: number, target: Uint8Array) => Promise<void>;
  /** Makes the error for an integer that float32 cannot represent. */
  fail: (expected: string, found: string) => Error;
}

/** The number of elements of a block: 4 MiB of float32. */
const BLOCK = 1 << 20;

/**
 * Reads the numbers in the file's order. float32 is read directly into the result. With 16-bit floats, the next block is read
 * while a block is converted in place.
 *
 * @param done called with each complete block and the index of its first number
 */
export async function readFloat32(
  { dtype, shape, read, fail }: TensorData,
  done: (block: Float32Array, start: number) => void = () => undefined,
): Promise<Float32Array> {
  const count = shape.reduce((product, size) => product * size, 1);
  if (dtype !== 'F32' && dtype !== 'F16' && dtype !== 'BF16') {
    const bytes = new Uint8Array(count * bytesPerElement[dtype]);
    await read(0, bytes);
    const values = toFloat32(dtype, bytes.buffer, fail);
    done(values, 0);
    return values;
  }
  const values = new Float32Array(count);
  const bytes = bytesPerElement[dtype];
  const blockAt = (start: number) => values.subarray(start, start + BLOCK);
  const readBlock = (start: number) => {
    const { buffer, byteOffset, length } = blockAt(start);
    return read(bytes * start, new Uint8Array(buffer, byteOffset + (4 - bytes) * length, bytes * length));
  };
  let reading = count > 0 ? readBlock(0) : undefined;
  for (let start = 0; start < count; start += BLOCK) {
    await reading;
    if (start + BLOCK < count) reading = readBlock(start + BLOCK);
    const block = blockAt(start);
    if (dtype === 'BF16') expandBfloat16(block);
    else if (dtype === 'F16') float16ToFloat32(upperHalf(block), block);
    done(block, start);
  }
  return values;
}

const upperHalf = ({ buffer, byteOffset, length }: Float32Array) =>
  new Uint16Array(buffer, byteOffset + 2 * length, length);

/** Reads the transpose of a matrix: [rows, columns] in the file, [columns, rows] in the result. */
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
    freeMemory(block);
  }
  return result;
}

/** Writes target[c · stride + r] = block[r · columns + c], in squares that fit into the CPU's cache. */
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
