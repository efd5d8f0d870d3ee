// Lists the names that pickles of weights import, and the value of each. All other names are refused.
import type { Dtype } from '../io/dtype.js';
import { PickleError, type PickleValue } from './pickle.js';

/** A block of numbers, of which tensors are views. */
export interface TorchStorage {
  kind: 'storage';
  key: string;
  dtype: Dtype;
  size: number;
}

/** A tensor as the pickle describes it. Its data are still in the file. */
export interface TorchTensor {
  kind: 'tensor';
  storage: TorchStorage;
  /** The index of its first element in the storage. */
  offset: number;
  shape: number[];
  /** The distance in elements between successive indices of each axis. */
  stride: number[];
}

const storageTypes: Readonly<Record<string, Dtype>> = {
  DoubleStorage: 'F64',
  FloatStorage: 'F32',
  HalfStorage: 'F16',
  BFloat16Storage: 'BF16',
  LongStorage: 'I64',
  IntStorage: 'I32',
  ShortStorage: 'I16',
  CharStorage: 'I8',
  ByteStorage: 'U8',
  BoolStorage: 'BOOL',
};

const functions: Readonly<Record<string, unknown>> = {
  'collections.OrderedDict': (items: [PickleValue, PickleValue][] = []) => new Map(items),
  'torch._utils._rebuild_tensor': rebuildTensor,
  'torch._utils._rebuild_tensor_v2': rebuildTensor,
  'torch._utils._rebuild_parameter': (data: PickleValue) => data,
  'torch.Size': (sizes: PickleValue) => sizes,
};

/** Returns the value for an imported name. @throws PickleError for names that weights do not need */
export function torchName(module: string, name: string): unknown {
  const full = `${module}.${name}`;
  if (Object.hasOwn(functions, full)) return functions[full];
  if (module === 'torch' && Object.hasOwn(storageTypes, name)) return { storageType: storageTypes[name] };
  throw new PickleError(`its pickle wants to import '${full}', which weights do not need; nothing was executed`);
}

/** Parses torch's persistent id: ('storage', type, key, device, number of elements, …). */
export function torchStorage(id: PickleValue): TorchStorage {
  const [kind, type, key, , size] = Array.isArray(id) ? (id as PickleValue[]) : [];
  const dtype = (type as { storageType?: Dtype } | undefined)?.storageType;
  if (kind !== 'storage' || !dtype || typeof key !== 'string' || !isCount(size))
    throw new PickleError('its pickle refers to an external object that is not a storage of numbers');
  return { kind: 'storage', key, dtype, size };
}

function rebuildTensor(
  storage: PickleValue,
  offset: PickleValue,
  shape: PickleValue,
  stride: PickleValue,
): TorchTensor {
  const block = storage as TorchStorage | undefined;
  if (
    block?.kind !== 'storage' ||
    !isCount(offset) ||
    !isCounts(shape) ||
    !isCounts(stride) ||
    shape.length !== stride.length
  )
    throw new PickleError('its pickle describes a tensor without storage, sizes and strides');
  return { kind: 'tensor', storage: block, offset, shape, stride };
}

const isCount = (value: PickleValue): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isCounts = (value: PickleValue): value is number[] => Array.isArray(value) && value.every(isCount);
