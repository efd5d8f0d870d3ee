// Defines the element types of tensors: their ONNX codes, and the typed arrays that contain them on the host.
import { toFloat16 } from './float16.js';

/** ONNX TensorProto.DataType codes. https://github.com/onnx/onnx/blob/main/onnx/onnx.proto */
export const onnxTypeCodes = {
  float32: 1,
  uint8: 2,
  int8: 3,
  uint16: 4,
  int16: 5,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  float64: 11,
  uint32: 12,
  uint4: 21,
  int4: 22,
} as const;

export type DataType = keyof typeof onnxTypeCodes;

/** The type in which graphs compute; 'float16' (on WebGPU) is for weights and activations, not master weights and moments. */
export type Precision = 'float32' | 'float16';

export type TensorArray =
  | Float32Array
  | Float64Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array;

/** The typed array of each type: float16 is stored as its bits, bool as one byte each, and two 4-bit numbers in one byte. */
export const arrayTypes = {
  float32: Float32Array,
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  bool: Uint8Array,
  float16: Uint16Array,
  float64: Float64Array,
  uint32: Uint32Array,
  uint4: Uint8Array,
  int4: Uint8Array,
} as const;

export const isFloat = (dtype: DataType): boolean => dtype === 'float32' || dtype === 'float16' || dtype === 'float64';

const typesByClass: Readonly<Record<string, DataType>> = {
  Float32Array: 'float32',
  Float64Array: 'float64',
  Int32Array: 'int32',
  BigInt64Array: 'int64',
  Uint8Array: 'uint8',
  Int8Array: 'int8',
  Uint16Array: 'uint16',
  Int16Array: 'int16',
  Uint32Array: 'uint32',
};

/** Returns a typed array's class name, also of another JavaScript realm (unlike `instanceof`), such as Jest's. */
export const arrayClass = (data: unknown): string => Object.prototype.toString.call(data).slice('[object '.length, -1);

/** Returns whether `data` is a typed array of the class for `dtype`. */
export const holds = (data: unknown, dtype: DataType): data is TensorArray =>
  arrayClass(data) === arrayTypes[dtype].name;

/** Returns the element type that tensors with this class of typed array have unless another one is given. */
export function dataTypeOf(data: TensorArray): DataType {
  const dtype = typesByClass[arrayClass(data)];
  if (!dtype) throw new TypeError(`a tensor's data must be a typed array, not ${arrayClass(data)}`);
  return dtype;
}

export function newArray(dtype: DataType, length: number): TensorArray {
  return new arrayTypes[dtype](length);
}

/** Converts numbers to the typed array of `dtype`; an array of that class is returned unchanged. */
export function toTensorArray(data: TensorArray | ArrayLike<number> | ArrayLike<bigint>, dtype: DataType): TensorArray {
  if (holds(data, dtype)) return data;
  if (dtype === 'int64') return BigInt64Array.from(data as ArrayLike<number>, BigInt);
  if (dtype === 'float16') return toFloat16(data as ArrayLike<number>);
  return (arrayTypes[dtype] as typeof Float32Array).from(data as ArrayLike<number>);
}

/** Copies data into an array of the same class. @param offset the index in the target of the first element */
export function writeInto(target: TensorArray, data: TensorArray, offset = 0): void {
  if (target instanceof BigInt64Array) target.set(data as BigInt64Array, offset);
  else target.set(data as Exclude<TensorArray, BigInt64Array>, offset);
}
