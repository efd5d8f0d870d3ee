import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { appendFile, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { newFolder } from '@bowyer/testing';
import { LONGEST_LINE, readTextLines } from './text-lines.js';

const folder = newFolder();
let files = 0;
function file(bytes: Uint8Array | string): string {
  const path = join(folder, `f${++files}`);
  writeFileSync(path, bytes);
  return path;
}

async function lines(bytes: Uint8Array | string): Promise<string[]> {
  const found: string[] = [];
  for await (const { text, line } of readTextLines(file(bytes))) found[line - 1] = text;
  return found;
}

test('lines of any length, over the borders of what is read at once; compressed ones as they are', async () => {
  const long = 'é'.repeat(100_000);
  const text = `a\r\n\n${long}\nb`;
  expect(await lines(text)).toEqual(['a\r', '', long, 'b']);
  expect(await lines(gzipSync(text))).toEqual(['a\r', '', long, 'b']);
  expect(await lines(Buffer.concat([gzipSync('a\n'), gzipSync('b\n')]))).toEqual(['a', 'b']);
  expect(await lines('\uFEFFa\n')).toEqual(['a']);
  expect(await lines('')).toEqual([]);
});

test('a pipe is read as a file is, also where its first bytes come one by one', async () => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const written = (async () => {
    const pipe = await open(path, 'w');
    for (const piece of ['a', '\n', 'bc', `\n${'d'.repeat(70_000)}`]) {
      await pipe.write(piece);
      await setTimeout(5);
    }
    await pipe.close();
  })();
  const found: string[] = [];
  for await (const { text } of readTextLines(path)) found.push(text);
  await written;
  expect(found).toEqual(['a', 'bc', 'd'.repeat(70_000)]);
});

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const utf32 = (text: string) => Buffer.from(Uint32Array.from(text, (char) => char.codePointAt(0)!).buffer);

test.each<[name: string, bytes: Uint8Array, problem: RegExp]>([
  ['zip', Buffer.from('PK\x03\x04abc'), /is a zip archive\n {2}convert it to text: unzip -p/],
  ['zstd', Buffer.from('28b52ffd00', 'hex'), /is compressed with zstd\n.*zstd -dc/],
  ['xz', Buffer.from('fd377a585a0000', 'hex'), /is compressed with xz\n.*xz -dc/],
  ['bzip2', Buffer.from('BZh91AY'), /is compressed with bzip2\n.*bzip2 -dc/],
  ['Parquet', Buffer.from('PAR1\x15'), /is a Parquet table\n.*read_parquet/],
  ['UTF-16 with a mark', utf16('\uFEFF{"a": 1}'), /is text in UTF-16\n.*iconv -f UTF-16 -t UTF-8/],
  ['UTF-16', utf16('{"a": 1}'), /is text in UTF-16LE\n.*iconv -f UTF-16LE/],
  ['UTF-16BE', utf16('{"a": 1}').swap16(), /is text in UTF-16BE\n.*iconv -f UTF-16BE/],
  ['UTF-32 with a mark', utf32('\uFEFF{"a": 1}'), /is text in UTF-32\n.*iconv -f UTF-32 -t UTF-8/],
  ['UTF-32', utf32('{"a": 1}'), /is text in UTF-32LE\n.*iconv -f UTF-32LE/],
  ['latin1', Buffer.from('a\nb\xe9c\nd', 'latin1'), /f\d+:2: the file is not UTF-8\n.*iconv -f latin1/],
  ['gzip of zip', gzipSync('PK\x03\x04abc'), /is a zip archive/],
  ['gzip that is cut', gzipSync('a\nb\n'.repeat(1000)).subarray(0, 40), /is compressed with gzip, and damaged: /],
])('%s', async (_, bytes, problem) => {
  await expect(lines(bytes)).rejects.toThrow(problem);
});

test('a line beyond the limit is refused with its length, after as much was read', async () => {
  const path = file('{}\n');
  const part = Buffer.alloc(8 << 20, 'a');
  for (let bytes = 0; bytes <= LONGEST_LINE; bytes += part.length) await appendFile(path, part);
  const read = async () => {
    for await (const { line } of readTextLines(path)) expect(line).toBe(1);
  };
  await expect(read()).rejects.toThrow(`${path}:2: the line is longer than 67 MB, which is the limit`);
  const packed = file(gzipSync(Buffer.alloc(LONGEST_LINE + 10, 'a')));
  await expect(readTextLines(packed).next()).rejects.toThrow('the line is longer than 67 MB');
});
