// Reads JSONL files that another process may be writing, or that a killed process has left.
import { createReadStream } from 'node:fs';

export interface JsonlEnd {
  /** The number of bytes of all complete lines. */
  bytes: number;
  /** A message about an incomplete last line, which was ignored; null if the last line is complete. */
  torn: string | null;
}

/**
 * Calls `each` for every line of a JSONL file, in order, without the whole file in memory. An incomplete last line is ignored.
 *
 * @param each gets the value, the offset of its line, and the line's length in bytes with its end
 * @param text the file's content, if it has been read already
 * @throws if an earlier line is damaged, with the file and the line; ENOENT for a missing file
 */
export async function readJsonl<T>(
  path: string,
  each: (value: T, offset: number, bytes: number) => void,
  text?: Buffer,
): Promise<JsonlEnd> {
  let offset = 0;
  let number = 0;
  let pieces: Buffer[] = [];
  let damaged: string | null = null;
  const take = (line: Buffer) => {
    number++;
    if (damaged !== null) throw new Error(damaged);
    if (line.length > 0) {
      try {
        each(JSON.parse(line.toString('utf8')) as T, offset, line.length + 1);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        damaged = `${path}:${number} is damaged: ${error.message}\n  restore the file, or start again in a new folder: save_path=FOLDER`;
        return;
      }
    }
    offset += line.length + 1;
  };
  const chunks =
    text === undefined ? (createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) : [text];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const part = chunk.subarray(start, end);
      take(pieces.length > 0 ? Buffer.concat([...pieces, part]) : part);
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
  const rest = pieces.reduce((sum, { length }) => sum + length, 0);
  if (rest > 0 && damaged !== null) throw new Error(damaged);
  const isTorn = rest > 0 || damaged !== null;
  const torn = isTorn ? `${path}: the last line (${number + Number(rest > 0)}) was cut off and is left out` : null;
  return { bytes: offset, torn };
}
