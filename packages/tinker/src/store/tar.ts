// A folder as a tar archive. Source: POSIX.1-1988 (ustar), the headers of regular files.
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

const BLOCK = 512;

/** The files below a folder, by their paths in it. */
export async function tarOf(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const parts: Buffer[] = [];
  for (const path of paths.sort()) {
    const content = await readFile(path);
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    parts.push(header(relative(folder, path).split(sep).join('/'), content.length), content, padding);
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  block.write(name, 0, 100, 'utf8');
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write('        0', 148, 'latin1'); // the checksum counts as spaces; a regular file
  block.write('ustar\x0000', 257, 'latin1');
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return block;
}
