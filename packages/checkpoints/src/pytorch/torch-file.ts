// Opens a file of torch.save: finds the stored object with descriptions of its tensors, and the offset of each storage. It supports two
// formats: the ZIP archive of PyTorch 1.6 and later, and the earlier sequence of pickles.
import { PickleError, readPickle, type PickleValue } from './pickle.js';
import type { ByteSource } from '../io/byte-source.js';
import { torchName, torchStorage, type TorchStorage } from './torch-names.js';
import { WeightsFileError } from '../io/weights-file-error.js';
import { checkContent, zipEntries } from './zip-entries.js';
import { bytesPerElement } from '../io/dtype.js';

export interface TorchFile {
  value: PickleValue;
  /** Returns the offset of a storage's data, after a check of its size. */
  position: (storage: TorchStorage) => number;
  /** Verifies the checksum of a storage once. The older format has no checksums. */
  check: (storage: TorchStorage) => Promise<void>;
}

/** The magic number of the older format, which is pickled as an integer. */
const OLD_MAGIC = Number(0x1950a86a20f9469cfc6cn);

export async function openTorchFile(source: ByteSource): Promise<TorchFile> {
  const start = await source.read(0, Math.min(4, source.size), 'the start');
  if (start[0] === 0x50 && start[1] === 0x4b) return fromZip(source);
  if (start[0] === 0x80) return fromPickles(source);
  throw new WeightsFileError(source.path, 'it was not written by torch.save: neither a ZIP archive nor a pickle');
}

async function fromZip(source: ByteSource): Promise<TorchFile> {
  const entries = await zipEntries(source);
  const pickle = [...entries.keys()].find((name) => name.endsWith('/data.pkl') || name === 'data.pkl');
  if (pickle === undefined)
    throw new WeightsFileError(
      source.path,
      `its archive has no data.pkl; it contains ${[...entries.keys()].slice(0, 4).join(', ') || 'nothing'}`,
      'a TorchScript archive is not a weight file: save the state_dict()',
    );
  const folder = pickle.slice(0, -'data.pkl'.length);
  const order = entries.get(`${folder}byteorder`);
  if (order && new TextDecoder().decode(await source.read(order.position, order.size, 'byteorder')) !== 'little')
    throw new WeightsFileError(source.path, 'its numbers are big-endian', 'save it again on a little-endian machine');
  const { position, size } = entries.get(pickle)!;
  await checkContent(source, pickle, entries.get(pickle)!);
  const { value } = unpickle(source, await source.read(position, size, 'data.pkl'), 0);
  const checked = new Map<string, Promise<void>>();
  return {
    value,
    check: (storage) => {
      const name = `${folder}data/${storage.key}`;
      const check = checked.get(name) ?? checkContent(source, name, entries.get(name)!);
      checked.set(name, check);
      return check;
    },
    position: (storage) => {
      const entry = entries.get(`${folder}data/${storage.key}`);
      const bytes = storage.size * bytesPerElement[storage.dtype];
      if (!entry || entry.size < bytes)
        throw new WeightsFileError(
          source.path,
          `storage '${storage.key}' should have ${bytes} bytes, its archive has ${entry ? entry.size : 'none'}`,
        );
      return entry.position;
    },
  };
}

/**
 * Reads the older format: magic number, protocol, system information, the object, the keys of the storages; then the size (int64)
 * and the data of each storage.
 */
async function fromPickles(source: ByteSource): Promise<TorchFile> {
  // The pickles end at an unknown offset, followed by the data: longer and longer beginnings of the file are tried.
  for (let length = Math.min(source.size, 1 << 20); ; length = Math.min(source.size, 4 * length)) {
    const bytes = await source.read(0, length, 'the pickles');
    try {
      return await parsePickles(source, bytes);
    } catch (error) {
      if (length === source.size || !(error instanceof UnfinishedPickles)) throw error;
    }
  }
}

class UnfinishedPickles extends WeightsFileError {}

async function parsePickles(source: ByteSource, bytes: Uint8Array): Promise<TorchFile> {
  const storages = new Map<string, TorchStorage>();
  const values: PickleValue[] = [];
  let end = 0;
  while (values.length < 5) {
    const read = unpickle(source, bytes, end, storages);
    values.push(read.value);
    end = read.end;
    if (values.length === 1 && values[0] !== OLD_MAGIC)
      throw new WeightsFileError(
        source.path,
        'it is a pickle, but not one written by torch.save',
        'only tensors can be read: save a state_dict() with torch.save, or better as safetensors',
      );
  }
  const positions = new Map<string, number>();
  for (const key of storageKeys(source, values[4])) {
    const storage = storages.get(key);
    const size = Number(
      new DataView((await source.read(end, 8, `the size of storage '${key}'`)).buffer).getBigInt64(0, true),
    );
    if (storage?.size !== size)
      throw new WeightsFileError(
        source.path,
        `storage '${key}' has ${size} elements, its pickle specifies ${storage?.size ?? 'nothing'}`,
      );
    positions.set(key, end + 8);
    end += 8 + size * bytesPerElement[storage.dtype];
  }
  return {
    value: values[3],
    check: () => Promise.resolve(),
    position: ({ key }) => {
      const position = positions.get(key);
      if (position === undefined)
        throw new WeightsFileError(source.path, `the numbers of storage '${key}' are missing`);
      return position;
    },
  };
}

function storageKeys({ path }: ByteSource, value: PickleValue): string[] {
  if (Array.isArray(value) && value.every((key) => typeof key === 'string')) return value;
  throw new WeightsFileError(path, 'its list of storages is not a list of names');
}

function unpickle(source: ByteSource, bytes: Uint8Array, start: number, storages?: Map<string, TorchStorage>) {
  const persistent = (id: PickleValue) => {
    const storage = torchStorage(id);
    storages?.set(storage.key, storage);
    return storage;
  };
  try {
    return readPickle(bytes, start, { find: torchName, persistent });
  } catch (error) {
    if (!(error instanceof PickleError)) throw error;
    const advice =
      'only tensors can be read: open it in Python, if you trust it, and save its state_dict() alone, preferably as safetensors';
    // In the older format the beginning of the file that was read may be too short; `fromPickles` then reads a longer one.
    const Failure = error.message.startsWith('the pickle ends') ? UnfinishedPickles : WeightsFileError;
    throw new Failure(source.path, error.message, advice);
  }
}
