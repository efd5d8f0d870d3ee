// Writes those values of a history row that are files: tables and images. The file is written below `files/media`, and the row
// contains a reference to it.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { namingFile } from '@bowyer/core';
import { jsonText } from '../log/raw-json.js';

/** An image in the format PNG. */
export interface Picture {
  png: Uint8Array;
  /** The size of the image in pixels. */
  width: number;
  height: number;
}

/** The value of a history row, which is a reference to a file, and the file's path relative to the folder `files`. */
export interface MediaValue {
  json: string;
  path: string;
}

/** The largest number of rows that W&B shows of a table. */
const MAX_ROWS = 10_000;

export async function tableValue(
  files: string,
  { key, step }: { key: string; step: number },
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): Promise<MediaValue> {
  const data = rows.slice(0, MAX_ROWS);
  const file = await write(files, { folder: 'table', key, step, ending: 'table.json' }, jsonText({ columns, data }));
  const members = { log_mode: 'IMMUTABLE', ncols: columns.length, nrows: data.length };
  return { path: file.path, json: jsonText({ _type: 'table-file', ...file, ...members }) };
}

export async function imageValue(
  files: string,
  { key, step }: { key: string; step: number },
  { png, width, height }: Picture,
): Promise<MediaValue> {
  const file = await write(files, { folder: 'images', key, step, ending: 'png' }, png);
  return { path: file.path, json: jsonText({ _type: 'image-file', ...file, format: 'png', width, height }) };
}

interface MediaName {
  folder: string;
  key: string;
  step: number;
  ending: string;
}

/** The path is `media/KIND/KEY_STEP_SHA20.ENDING`, with a part of the hash. A slash in the key makes a subfolder. */
async function write(files: string, { folder, key, step, ending }: MediaName, content: string | Uint8Array) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const path = `media/${folder}/${key}_${step}_${sha256.slice(0, 20)}.${ending}`;
  const absolute = join(files, path);
  await namingFile(absolute, async () => {
    await mkdir(dirname(absolute), { recursive: true });
    await writeFile(absolute, bytes);
  });
  return { path, sha256, size: bytes.length };
}
