// Writes an event file of TensorBoard. It consists of TFRecord records: each has a length, data, and masked checksums of both.
// Source: tensorflow.org/tutorials/load_data/tfrecord, section "TFRecords format details".
import { mkdir, readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { maximum, appendText } from '@bowyer/core';
import { crc32c } from './crc32c.js';
import { versionEvent } from './messages.js';

export class EventFile {
  private constructor(readonly path: string) {}

  /**
   * Creates an event file in the folder. Its name contains the time, since TensorBoard reads the files of a folder in the order
   * of their names.
   */
  static async create(directory: string): Promise<EventFile> {
    await mkdir(directory, { recursive: true });
    const earlier = (await readdir(directory)).map((name) => Number(/^events\.out\.tfevents\.(\d+)\./.exec(name)?.[1]));
    const seconds = maximum([
      Math.floor(Date.now() / 1000),
      ...earlier.filter(Number.isFinite).map((time) => time + 1),
    ]);
    const order = String(process.hrtime.bigint() % 1_000_000_000n).padStart(9, '0');
    const name = `events.out.tfevents.${String(seconds).padStart(10, '0')}.${hostname()}.${process.pid}.${order}`;
    const file = new EventFile(join(directory, name));
    await file.append(versionEvent(Date.now() / 1000));
    return file;
  }

  /** Appends events to the file. @param events encoded protobuf messages, which the functions of messages.ts return */
  async append(...events: readonly Uint8Array[]): Promise<void> {
    await appendText(this.path, Buffer.concat(events.map(record)));
  }
}

function record(data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(data.length + 16);
  bytes.writeBigUInt64LE(BigInt(data.length), 0);
  bytes.writeUInt32LE(masked(crc32c(bytes.subarray(0, 8))), 8);
  bytes.set(data, 12);
  bytes.writeUInt32LE(masked(crc32c(data)), data.length + 12);
  return bytes;
}

/** Masks a checksum as TFRecord does, since a checksum of data that contain checksums themselves would detect fewer errors. */
const masked = (crc: number): number => (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
