// Reads the lines of a text file one after the other. The file may be larger than memory, but not a line; it may be compressed
// with gzip, or be divided into a newest part and older, compressed parts (parted-jsonl.ts).
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isGzip, refuseOtherFormats, utf8Line } from '../utf8-text.js';
import { partsOf } from './parted-jsonl.js';

/** The largest size of a line, in bytes. A dialogue of this length has some ten million tokens. */
export const LONGEST_LINE = 64 << 20;

/** The largest size, in bytes, of a line that begins a JSON array; JavaScript's strings cannot be longer. */
const LONGEST_ARRAY = 500_000_000;

export interface TextLine {
  text: string;
  /** The number of the line, counted from 1. */
  line: number;
}

/** Yields the lines of a text file. @throws with file and line for a line that is not UTF-8 or is longer than LONGEST_LINE */
export async function* readTextLines(path: string): AsyncGenerator<TextLine> {
  const parts = await partsOf(path);
  let line = 0;
  for (const part of parts.length <= 1 ? [path] : parts)
    for await (const bytes of linesOf(part, line)) yield { text: utf8Line(bytes, part, line + 1), line: ++line };
}

async function* linesOf(path: string, before: number): AsyncGenerator<Uint8Array> {
  let rest: Buffer[] = [];
  let length = 0;
  let line = before;
  let longest: number | undefined;
  for await (const chunk of chunksOf(path)) {
    let start = 0;
    longest ??= /^\uFEFF?\s*\[/.test(chunk.toString('utf8', 0, 100)) ? LONGEST_ARRAY : LONGEST_LINE;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      checkLength(path, line + 1, length + end - start, longest);
      yield Buffer.concat([...rest, chunk.subarray(start, end)]);
      line++;
      [rest, length, start] = [[], 0, end + 1];
    }
    rest.push(chunk.subarray(start));
    length += chunk.length - start;
    checkLength(path, line + 1, length, longest);
  }
  if (length > 0) yield Buffer.concat(rest);
}

function checkLength(path: string, line: number, length: number, longest: number): void {
  if (length <= longest) return;
  throw new Error(
    `${path}:${line}: the line is longer than ${Math.floor(longest / 1e6)} MB, which is the limit\n` +
      "  give one item on each line: for an array of JSON, jq -c '.[]' FILE > NEW",
  );
}

/** Yields the decompressed bytes of a file. It is read once from start to end, so it may be a pipe. */
async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const chunks = createReadStream(path)[Symbol.asyncIterator]() as AsyncGenerator<Buffer>;
  try {
    const head = await headOf(chunks);
    const isCompressed = isGzip(head);
    if (!isCompressed) refuseOtherFormats(head, path);
    const whole = concat(head, chunks);
    let isFirst = isCompressed;
    for await (const chunk of isCompressed ? pipeline(whole, createGunzip(), () => undefined) : whole) {
      if (isFirst) refuseOtherFormats(chunk as Buffer, path);
      isFirst = false;
      yield chunk as Buffer;
    }
  } catch (error) {
    if (!/^Z_/.test(String((error as NodeJS.ErrnoException).code))) throw error;
    throw new Error(`${path}: the file is compressed with gzip, and damaged: ${(error as Error).message}`);
  } finally {
    await chunks.return(undefined); // closes the file
  }
}

async function headOf(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length < 16) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return head;
}

async function* concat(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* rest;
}
