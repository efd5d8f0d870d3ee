// Reads and writes the file run-ID.wandb, W&B's transaction log. It consists of records in LevelDB's log format, but with the
// plain CRC-32, after a header of 7 bytes within the first block.
// Source: leveldb/doc/log_format.md; the differences are W&B's.
import { writeSync } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { namingFile } from '@bowyer/core';

/** The header of the file: ":W&B", the magic number 0xBEE1 in little-endian order, and version 0. */
const HEADER = Buffer.from([0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0x00]);
const BLOCK = 32_768;
/** The size in bytes of the header of a chunk, a part of a record within one block: checksum (4), length (2), type (1). */
const CHUNK_HEADER = 7;
const [FULL, FIRST, MIDDLE, LAST] = [1, 2, 3, 4];

/** Returns the bytes that store a record at an offset of the file: one or more chunks, each within one block. */
export function framed(payload: Uint8Array, offset: number): Buffer {
  const chunks: Buffer[] = [];
  let at = offset;
  let taken = 0;
  for (let isFirst = true, isLast = false; !isLast; isFirst = false) {
    let left = BLOCK - (at % BLOCK);
    if (left < CHUNK_HEADER) {
      chunks.push(Buffer.alloc(left));
      at += left;
      left = BLOCK;
    }
    const length = Math.min(left - CHUNK_HEADER, payload.length - taken);
    isLast = taken + length === payload.length;
    const type = isFirst ? (isLast ? FULL : FIRST) : isLast ? LAST : MIDDLE;
    chunks.push(chunk(type, payload.subarray(taken, taken + length)));
    at += CHUNK_HEADER + length;
    taken += length;
  }
  return Buffer.concat(chunks);
}

function chunk(type: number, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(CHUNK_HEADER + data.length);
  bytes.writeUInt16LE(data.length, 4);
  bytes[6] = type;
  bytes.set(data, CHUNK_HEADER);
  bytes.writeUInt32LE(crc32(bytes.subarray(6)), 0);
  return bytes;
}

/** A record with the range of bytes that it takes in the file. */
export interface FramedRecord {
  payload: Uint8Array;
  start: number;
  end: number;
}

/**
 * Yields the complete records of a file from an offset on. It ends at an incomplete or damaged record.
 *
 * @param offset the offset of a record; 0: the first one
 */
export async function* readLog(path: string, offset = 0): AsyncGenerator<FramedRecord, void> {
  const file = await open(path, 'r');
  try {
    const blocks = new BlockReader(file);
    let at = offset === 0 ? HEADER.length : offset;
    if (offset === 0) await refuseForeign(file, path);
    for (;;) {
      const found = await blocks.record(at);
      if (found === null) return;
      yield found;
      at = found.end;
    }
  } finally {
    await file.close();
  }
}

async function refuseForeign(file: FileHandle, path: string): Promise<void> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0);
  if (bytesRead === 0 || buffer.equals(HEADER)) return;
  throw new Error(`${path} is not a log of a W&B run: it begins with other bytes`);
}

/** Reads the file one block at a time, and joins the chunks of a record. */
class BlockReader {
  #block: Buffer = Buffer.alloc(0);
  #start = -1;

  constructor(private readonly file: FileHandle) {}

  /** Null if there is no complete record. */
  async record(start: number): Promise<FramedRecord | null> {
    const parts: Buffer[] = [];
    let at = start;
    for (;;) {
      if (BLOCK - (at % BLOCK) < CHUNK_HEADER) at += BLOCK - (at % BLOCK);
      const found = await this.#chunk(at);
      if (found === null || (found.type === FULL || found.type === FIRST) !== (parts.length === 0)) return null;
      parts.push(found.data);
      at += CHUNK_HEADER + found.data.length;
      if (found.type === FULL || found.type === LAST) return { payload: Buffer.concat(parts), start, end: at };
    }
  }

  async #chunk(at: number): Promise<{ type: number; data: Buffer } | null> {
    const within = at % BLOCK;
    if (this.#start !== at - within || this.#block.length < BLOCK) await this.#load(at - within);
    if (within + CHUNK_HEADER > this.#block.length) return null;
    const end = within + CHUNK_HEADER + this.#block.readUInt16LE(within + 4);
    if (end > this.#block.length) return null;
    if (crc32(this.#block.subarray(within + 6, end)) !== this.#block.readUInt32LE(within)) return null;
    return { type: this.#block[within + 6], data: this.#block.subarray(within + CHUNK_HEADER, end) };
  }

  async #load(start: number): Promise<void> {
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(BLOCK), 0, BLOCK, start);
    this.#block = buffer.subarray(0, bytesRead);
    this.#start = start;
  }
}

/** Runs `work` on something that was just opened, such as a file, and closes it if `work` fails. */
export async function closedOnError<T>(opened: { close(): Promise<void> }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Appends records to a transaction log. Calls must not overlap. */
export class TransactionLog {
  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
    private length: number,
  ) {}

  /** @param keep the number of bytes of an earlier process's log that are kept; 0: a new file */
  static async open(path: string, keep: number): Promise<TransactionLog> {
    return namingFile(path, async () => {
      await mkdir(dirname(path), { recursive: true });
      const file = await open(path, keep > 0 ? 'r+' : 'w');
      return closedOnError(file, async () => {
        await file.truncate(keep);
        if (keep === 0) await file.write(HEADER, 0, HEADER.length, 0);
        return new TransactionLog(path, file, Math.max(keep, HEADER.length));
      });
    });
  }

  async append(payloads: readonly Uint8Array[]): Promise<void> {
    const pieces: Buffer[] = [];
    let end = this.length;
    for (const payload of payloads) {
      pieces.push(framed(payload, end));
      end += pieces.at(-1)!.length;
    }
    await namingFile(this.path, async () => this.#write(Buffer.concat(pieces)));
    this.length = end;
  }

  /** Synchronous calls take less time than Node's thread pool. On a full disk, a call may write only some of the bytes. */
  #write(bytes: Buffer): void {
    for (let from = 0; from < bytes.length;)
      from += writeSync(this.file.fd, bytes, from, bytes.length - from, this.length + from);
  }

  close(): Promise<void> {
    return this.file.close();
  }
}
