// Reads GGUF files for tests; written only from the description of the format (docs/gguf.md of ggml-org/ggml).
import { readFileSync } from 'node:fs';

interface ReadGguf {
  metadata: Record<string, unknown>;
  /** `sizes` begins with the innermost axis, as in the file; `bytes` reaches up to the next tensor. */
  tensors: Record<string, { sizes: number[]; type: number; bytes: Uint8Array }>;
}

class Cursor {
  at = 0;
  readonly #view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8 = () => this.#next(1, (at) => this.#view.getUint8(at));
  u32 = () => this.#next(4, (at) => this.#view.getUint32(at, true));
  i32 = () => this.#next(4, (at) => this.#view.getInt32(at, true));
  f32 = () => this.#next(4, (at) => this.#view.getFloat32(at, true));
  u64 = () => this.#next(8, (at) => Number(this.#view.getBigUint64(at, true)));
  bool = () => this.#next(1, (at) => this.#view.getUint8(at) === 1);
  text = () => {
    const length = this.u64();
    return this.#next(length, (at) => Buffer.from(this.bytes.subarray(at, at + length)).toString());
  };

  #next<T>(length: number, read: (at: number) => T): T {
    const value = read(this.at);
    this.at += length;
    return value;
  }
}

export function readGguf(path: string): ReadGguf {
  const cursor = new Cursor(new Uint8Array(readFileSync(path)));
  const magic = Buffer.from(cursor.bytes.subarray(0, 4)).toString();
  cursor.at = 4;
  const version = cursor.u32();
  if (magic !== 'GGUF' || version !== 3) throw new Error(`${path}: ${magic}, version ${version}`);
  const [tensorCount, entryCount] = [cursor.u64(), cursor.u64()];
  const metadata = Object.fromEntries(
    Array.from({ length: entryCount }, () => [cursor.text(), valueOf(cursor, cursor.u32())]),
  );
  const described = Array.from({ length: tensorCount }, () => {
    const name = cursor.text();
    const sizes = Array.from({ length: cursor.u32() }, cursor.u64);
    return { name, sizes, type: cursor.u32(), offset: cursor.u64() };
  });
  const start = Math.ceil(cursor.at / 32) * 32;
  const tensors = described.map(({ name, sizes, type, offset }, i) => {
    const end = described[i + 1] === undefined ? cursor.bytes.length : start + described[i + 1].offset;
    return [name, { sizes, type, bytes: cursor.bytes.slice(start + offset, end) }] as const;
  });
  return { metadata, tensors: Object.fromEntries(tensors) };
}

function valueOf(cursor: Cursor, type: number): unknown {
  switch (type) {
    case 0:
      return cursor.u8();
    case 4:
      return cursor.u32();
    case 5:
      return cursor.i32();
    case 6:
      return cursor.f32();
    case 7:
      return cursor.bool();
    case 8:
      return cursor.text();
    case 9: {
      const element = cursor.u32();
      return Array.from({ length: cursor.u64() }, () => valueOf(cursor, element));
    }
    default:
      throw new Error(`a value of type ${type}`);
  }
}

/** Returns the numbers of a tensor of type F32. */
export const floats = ({ sizes, bytes }: ReadGguf['tensors'][string]): number[] => [
  ...new Float32Array(
    bytes.buffer,
    0,
    sizes.reduce((product, size) => product * size, 1),
  ),
];
