// Arrays of numbers on the wire: a list in JSON, bytes in protobuf, dense or as a sparse matrix in compressed rows (CSR).
import { RequestError } from '../request-error.js';
import { dtypes, type TensorMessage } from './messages.js';

/** TensorData of JSON. */
export interface TensorJson {
  data: number[];
  dtype: 'float32' | 'int64';
  shape?: number[] | null;
  sparse_crow_indices?: number[] | null;
  sparse_col_indices?: number[] | null;
}

/** A dense array, row by row. */
export interface Tensor {
  dtype: 'float32' | 'int64';
  shape: number[];
  data: Float32Array | Int32Array;
}

interface Stored {
  dtype: Tensor['dtype'];
  shape: readonly number[] | null;
  values: ArrayLike<number>;
  /** Null: dense. */
  sparse: { crow: ArrayLike<number>; col: ArrayLike<number> } | null;
}

/** The most elements of a dense array: what a sparse one unfolds to is bounded too. */
const MOST_ELEMENTS = 2 ** 24;

/** @param name for messages @throws {RequestError} */
export function tensorOfJson(name: string, tensor: TensorJson): Tensor {
  const { data, dtype, shape, sparse_crow_indices: crow, sparse_col_indices: col } = tensor;
  if ((crow ?? null) !== null && (col ?? null) === null)
    throw new RequestError(`${name} has sparse_crow_indices without sparse_col_indices`);
  const sparse = crow && col ? { crow, col } : null;
  return denseTensor(name, { dtype, shape: shape ?? null, values: data, sparse });
}

/** @param name for messages @throws {RequestError} */
export function tensorOfMessage(name: string, message: TensorMessage): Tensor {
  const { dense, sparseCsr, dtype = 0, shape } = message;
  const read = readers[dtype];
  if (read === undefined) throw new RequestError(`${name} has the dtype ${dtype}, which this server does not know`);
  const isFloat = dtype === dtypes.float32 || dtype === dtypes.bfloat16;
  const none = new Uint8Array();
  const sparse = sparseCsr && {
    crow: readers[dtypes.int64](name, sparseCsr.crowIndices ?? none),
    col: readers[dtypes.int64](name, sparseCsr.colIndices ?? none),
  };
  return denseTensor(name, {
    dtype: isFloat ? 'float32' : 'int64',
    shape: shape ?? null,
    values: read(name, sparseCsr ? (sparseCsr.values ?? none) : (dense ?? none)),
    sparse: sparse ?? null,
  });
}

const readers: Readonly<Record<number, (name: string, bytes: Uint8Array) => ArrayLike<number>>> = {
  [dtypes.float32]: (name, bytes) => floats(name, bytes),
  [dtypes.int64]: (name, bytes) => Array.from(new BigInt64Array(aligned(name, bytes, 8)), Number),
  [dtypes.int32]: (name, bytes) => integers(name, bytes),
  // The upper half of a float32.
  [dtypes.bfloat16]: (name, bytes) => {
    const halves = Uint32Array.from(new Uint16Array(aligned(name, bytes, 2)), (half) => half << 16);
    return new Float32Array(halves.buffer);
  },
};

/** Little-endian, as the CPUs are that this runs on. @throws {RequestError} */
export const floats = (name: string, bytes: Uint8Array): Float32Array => new Float32Array(aligned(name, bytes, 4));

/** @throws {RequestError} */
export const integers = (name: string, bytes: Uint8Array): Int32Array => new Int32Array(aligned(name, bytes, 4));

function aligned(name: string, bytes: Uint8Array, size: number): ArrayBuffer {
  if (bytes.length % size !== 0)
    throw new RequestError(`${name} has ${bytes.length} bytes, which is not a multiple of ${size}`);
  return new Uint8Array(bytes).buffer; // a copy, which slice() of a Buffer would not be
}

export const bytesOf = (array: Float32Array | Int32Array | BigInt64Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

function denseTensor(name: string, { dtype, shape: given, values, sparse }: Stored): Tensor {
  const shape = given && given.length > 0 ? [...given] : [values.length];
  const size = shape.reduce((product, length) => product * length, 1);
  if (shape.some((length) => !Number.isInteger(length) || length < 0) || size > MOST_ELEMENTS)
    throw new RequestError(`${name} has the shape [${shape.join(', ')}]; ${MOST_ELEMENTS} numbers are allowed at most`);
  if (sparse === null && size !== values.length)
    throw new RequestError(`${name} has ${values.length} numbers and the shape [${shape.join(', ')}]`);
  const data = dtype === 'float32' ? new Float32Array(size) : new Int32Array(size);
  if (sparse === null) data.set(values);
  else unfold(name, data, shape, { ...sparse, values });
  if (dtype === 'int64') checkIntegers(name, values);
  return { dtype, shape, data };
}

function checkIntegers(name: string, values: ArrayLike<number>): void {
  for (let i = 0; i < values.length; i++)
    if (!Number.isInteger(values[i]) || Math.abs(values[i]) > 2 ** 31 - 1)
      throw new RequestError(`${name} contains ${values[i]}, which is no integer of 32 bits`);
}

function unfold(
  name: string,
  data: Float32Array | Int32Array,
  shape: readonly number[],
  { crow, col, values }: { crow: ArrayLike<number>; col: ArrayLike<number>; values: ArrayLike<number> },
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
