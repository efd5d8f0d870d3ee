// Reads the uncompressed entries of a ZIP archive of torch.save. Source: PKWARE's APPNOTE 6.3, sections 4.3.7 (local header),
// 4.3.12 (central directory), 4.3.14 to 16 (its end, ZIP64).
import { crc32 as crc32Of } from 'node:zlib';
import type { ByteSource } from '../io/byte-source.js';
import { WeightsFileError } from '../io/weights-file-error.js';

/** The range of an entry's bytes in the file. */
interface ZipEntry {
  position: number;
  size: number;
  /** The CRC-32 of the content; 0 if the writer omitted it, which torch.save has an option for. */
  crc32: number;
}

const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;

/** Matches entries that TorchScript adds to the tensors. They are not read. */
const CODE = /\/(code|ts_code)\//;

export async function zipEntries(source: ByteSource): Promise<Map<string, ZipEntry>> {
  const { start, size, count } = await centralDirectory(source);
  const bytes = await source.read(start, size, 'the ZIP directory');
  const view = new DataView(bytes.buffer);
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 46 > size || view.getUint32(at, true) !== CENTRAL)
      throw new WeightsFileError(source.path, `entry ${i} of ${count} is missing from the ZIP directory`);
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    const next = at + 46 + nameLength + extraLength + commentLength;
    if (next > size) throw new WeightsFileError(source.path, `entry ${i} of ${count} points outside the ZIP directory`);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    const isCompressed = view.getUint16(at + 10, true) !== 0;
    if (isCompressed && !CODE.test(name))
      throw new WeightsFileError(
        source.path,
        `'${name}' is compressed`,
        'torch.save never does that: save the file again',
      );
    const entry = {
      compressed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      local: view.getUint32(at + 42, true),
    };
    const extra = new DataView(bytes.buffer, at + 46 + nameLength, extraLength);
    widen(entry, extra);
    const position = await contentStart(source, name, entry.local);
    entries.set(name, { position, size: entry.size, crc32: view.getUint32(at + 16, true) });
    at = next;
  }
  return entries;
}

const BLOCK = 4 << 20;

/** Reads the content of a ZIP entry and verifies its checksum, in parts, so that the content is not in memory as a whole. */
export async function checkContent(
  source: ByteSource,
  name: string,
  { position, size, crc32 }: ZipEntry,
): Promise<void> {
  if (crc32 === 0) return;
  let found = 0;
  for (let done = 0; done < size; done += BLOCK)
    found = crc32Of(await source.read(position + done, Math.min(BLOCK, size - done), `'${name}'`), found);
  const hex = (value: number) => value.toString(16).padStart(8, '0');
  if (found !== crc32)
    throw new WeightsFileError(
      source.path,
      `'${name}' is damaged: its CRC-32 should be ${hex(crc32)}, it is ${hex(found)}`,
    );
}

/** Finds the central directory. Its end record is in the last 22 bytes, or before a comment; ZIP64's end record precedes it. */
async function centralDirectory(source: ByteSource) {
  const tail = Math.min(source.size, 22 + 65_535);
  const bytes = await source.read(source.size - tail, tail, 'the end of the ZIP archive');
  const view = new DataView(bytes.buffer);
  let end = tail - 22;
  while (end >= 0 && view.getUint32(end, true) !== END) end--;
  if (end < 0) throw new WeightsFileError(source.path, 'the ZIP directory at its end is missing: the file is cut off');
  const short = {
    count: view.getUint16(end + 10, true),
    size: view.getUint32(end + 12, true),
    start: view.getUint32(end + 16, true),
  };
  if (end < 20 || view.getUint32(end - 20, true) !== LOCATOR_64) return short;
  const record = new DataView(
    (await source.read(Number(view.getBigUint64(end - 12, true)), 56, 'the ZIP64 directory')).buffer,
  );
  if (record.getUint32(0, true) !== END_64) throw new WeightsFileError(source.path, 'its ZIP64 record is missing');
  const [count, size, start] = [32, 40, 48].map((field) => Number(record.getBigUint64(field, true)));
  return { count, size, start };
}

/** Reads ZIP64's extra field: sizes and offsets in this order, each only if the standard field cannot hold it. */
function widen(entry: { size: number; compressed: number; local: number }, extra: DataView): void {
  for (let at = 0; at + 4 <= extra.byteLength; at += 4 + extra.getUint16(at + 2, true)) {
    if (extra.getUint16(at, true) !== 1) continue;
    let field = at + 4;
    for (const name of ['size', 'compressed', 'local'] as const) {
      if (entry[name] !== 0xffffffff || field + 8 > extra.byteLength) continue;
      entry[name] = Number(extra.getBigUint64(field, true));
      field += 8;
    }
  }
}

/** Returns the offset of the content. It depends on the lengths in the local header, since torch pads there to align contents. */
async function contentStart(source: ByteSource, name: string, local: number): Promise<number> {
  const header = new DataView((await source.read(local, 30, `the header of '${name}'`)).buffer);
  if (header.getUint32(0, true) !== LOCAL)
    throw new WeightsFileError(source.path, `'${name}' does not start at its offset in the ZIP directory`);
  return local + 30 + header.getUint16(26, true) + header.getUint16(28, true);
}
