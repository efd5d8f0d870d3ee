// Reads arrays of numbers: a list in JSON or bytes in protobuf, either dense or sparse in compressed rows (CSR).
import type { Steps } from '@bowyer/text';
import { RequestError } from '../request-error.js';
import { dtypes, type TensorMessage } from './messages.js';
import { floatsOf, integersOf } from './numbers.js';

/** The form of a tensor in JSON, which the API calls TensorData. */
export interface TensorJson {
  /** The elements, which should be numbers, as those of the lists of indices; they are checked when the tensor is read. */
  data: unknown[];
  dtype: 'float32' | 'int64';
  shape?: number[] | null;
  sparse_crow_indices?: unknown[] | null;
  sparse_col_indices?: unknown[] | null;
}

/** A tensor whose elements are stored row by row. */
export interface Tensor {
  dtype: 'float32' | 'int64';
  shape: number[];
  data: Float32Array | Int32Array;
}

type Numbers = Float32Array | Int32Array;

interface Stored {
  shape: readonly number[] | null;
  values: Numbers;
  /** The beginning of each row, and the column of each element; null for a dense tensor. */
  sparse: { crow: Int32Array; col: Int32Array } | null;
}

/** The most elements of a dense array, also of one that is made from a sparse array. */
const MOST_ELEMENTS = 2 ** 24;

/** @param name of the field, for errors @throws {RequestError} */
export function* tensorOfJson(name: string, tensor: TensorJson): Steps<Tensor> {
  const { data, dtype, shape, sparse_crow_indices: crow, sparse_col_indices: col } = tensor;
  if ((crow ?? null) !== null && (col ?? null) === null)
    throw new RequestError(`${name} has sparse_crow_indices without sparse_col_indices`);
  const values = yield* (dtype === 'float32' ? floatsOf : integersOf)(`${name}.data`, data);
  const sparse = crow &&
    col && {
      crow: yield* integersOf(`${name}.sparse_crow_indices`, crow),
      col: yield* integersOf(`${name}.sparse_col_indices`, col),
    };
  return denseTensor(name, { shape: shape ?? null, values, sparse: sparse ?? null });
}

/** @param name of the field, for errors @throws {RequestError} */
export function tensorOfMessage(name: string, message: TensorMessage): Tensor {
  const { dense, sparseCsr, dtype = 0, shape } = message;
  const read = readers[dtype];
  if (read === undefined) throw new RequestError(`${name} has the dtype ${dtype}, which this server does not know`);
  const none = new Uint8Array();
  const sparse = sparseCsr && {
    crow: int64s(name, sparseCsr.crowIndices ?? none),
    col: int64s(name, sparseCsr.colIndices ?? none),
  };
  const values = read(name, sparseCsr ? (sparseCsr.values ?? none) : (dense ?? none));
  return denseTensor(name, { shape: shape ?? null, values, sparse: sparse ?? null });
}

const readers: Readonly<Record<number, (name: string, bytes: Uint8Array) => Numbers>> = {
  [dtypes.float32]: (name, bytes) => floats(name, bytes),
  [dtypes.int64]: (name, bytes) => int64s(name, bytes),
  [dtypes.int32]: (name, bytes) => integers(name, bytes),
  [dtypes.bfloat16]: (name, bytes) => bfloats(name, bytes),
};

/**
 * Reads 64-bit integers as pairs of 32-bit integers, since making a BigInt of each would take ten times as long.
 *
 * @throws {RequestError} for an integer that does not fit into 32 bits
 */
function int64s(name: string, bytes: Uint8Array): Int32Array {
  const halves = new Int32Array(aligned(name, bytes, 8));
  const values = new Int32Array(halves.length / 2);
  for (let i = 0; i < values.length; i++) {
    values[i] = halves[2 * i];
    if (halves[2 * i + 1] !== values[i] >> 31)
      throw new RequestError(`${name} contains ${new BigInt64Array(halves.buffer)[i]}, which is no integer of 32 bits`);
  }
  return values;
}

/** Converts bfloat16 numbers to float32: their bits are the upper half of a float32's. */
function bfloats(name: string, bytes: Uint8Array): Float32Array {
  const uppers = new Uint16Array(aligned(name, bytes, 2));
  const bits = new Uint32Array(uppers.length);
  for (let i = 0; i < uppers.length; i++) bits[i] = uppers[i] << 16;
  return new Float32Array(bits.buffer);
}

/** Little-endian, the byte order of all supported CPUs. @throws {RequestError} if the length is wrong */
export const floats = (name: string, bytes: Uint8Array): Float32Array => new Float32Array(aligned(name, bytes, 4));

/** Reads int32 numbers from little-endian bytes. @throws {RequestError} if the length is wrong */
export const integers = (name: string, bytes: Uint8Array): Int32Array => new Int32Array(aligned(name, bytes, 4));

function aligned(name: string, bytes: Uint8Array, size: number): ArrayBuffer {
  if (bytes.length % size !== 0)
    throw new RequestError(`${name} has ${bytes.length} bytes, which is not a multiple of ${size}`);
  return new Uint8Array(bytes).buffer; // copies the bytes, which slice() of a Buffer would not
}

export const bytesOf = (array: Float32Array | Int32Array | BigInt64Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

function denseTensor(name: string, { shape: given, values, sparse }: Stored): Tensor {
  const shape = given && given.length > 0 ? [...given] : [values.length];
  const size = shape.reduce((product, length) => product * length, 1);
  if (shape.some((length) => !Number.isInteger(length) || length < 0) || size > MOST_ELEMENTS)
    throw new RequestError(`${name} has the shape [${shape.join(', ')}]; ${MOST_ELEMENTS} numbers are allowed at most`);
  if (sparse === null && size !== values.length)
    throw new RequestError(`${name} has ${values.length} numbers and the shape [${shape.join(', ')}]`);
  const dtype = values instanceof Float32Array ? 'float32' : 'int64';
  if (sparse === null) return { dtype, shape, data: values };
  const data = dtype === 'float32' ? new Float32Array(size) : new Int32Array(size);
  unfold(name, data, shape, { ...sparse, values });
  return { dtype, shape, data };
}

function unfold(
  name: string,
  data: Numbers,
  shape: readonly number[],
  { crow, col, values }: { crow: Int32Array; col: Int32Array; values: Numbers },
): void {
  const [rows, columns] = shape;
  if (shape.length !== 2)
    throw new RequestError(`${name} is sparse with the shape [${shape.join(', ')}]; two axes are needed`);
  if (crow.length !== rows + 1 || crow[0] !== 0 || crow[rows] !== values.length || col.length !== values.length)
    throw new RequestError(
      `${name}: the indices of rows and columns do not fit ${values.length} values in ${rows} rows`,
    );
  for (let row = 0; row < rows; row++) {
    if (!(crow[row] <= crow[row + 1])) throw new RequestError(`${name}: the indices of rows fall at row ${row}`);
    for (let i = crow[row]; i < crow[row + 1]; i++) {
      if (!(col[i] >= 0 && col[i] < columns))
        throw new RequestError(`${name}: the column ${col[i]} is not below ${columns}`);
      data[row * columns + col[i]] = values[i];
    }
  }
}
