// Reads and writes a long JSONL file in parts: the newest lines as text in NAME.jsonl, older ones compressed in NAME.0001.jsonl.gz and so
// on. A part consists of gzip members of about 1 MB, listed in NAME.0001.index.json, so that one line can be read without the others;
// `zcat NAME.*.jsonl.gz` reads all of them.
import { existsSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { writeFileAtomically } from '../atomic-file.js';
import { namingFile } from '../disk-error.js';
import { JsonlFile } from './jsonl-file.js';
import { readJsonl, type JsonlEnd } from './jsonl-reader.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** The size of a part's text before compression, and that of the text in one gzip member; in bytes. */
const PART_BYTES = 64 << 20;
const MEMBER_BYTES = 1 << 20;

interface PartIndex {
  /** The length of the part's uncompressed text, in bytes. */
  bytes: number;
  /** The offset of each gzip member in the compressed part, and of its text in the part's text. */
  members: { at: number; from: number }[];
}

/** The position of a line in a JSONL file in parts, by which `readLineAt` reads the line. */
export interface LinePlace {
  path: string;
  /** The offset in the text of that file. */
  offset: number;
  bytes: number;
}

/** Lists the files with older lines, oldest first, then the newest file. */
export async function partsOf(path: string): Promise<string[]> {
  const stem = basename(path).replace(/\.jsonl$/, '');
  const names = await readdir(dirname(path)).catch(() => []);
  const parts = names.filter(
    (name) => name.startsWith(`${stem}.`) && /^\d{4}\.jsonl(\.gz)?$/.test(name.slice(stem.length + 1)),
  );
  // If a part exists both as text and compressed, a process was killed before it removed the text, which is ignored.
  const own = parts.filter((name) => name.endsWith('.gz') || !parts.includes(`${name}.gz`)).sort();
  return [...own.map((name) => join(dirname(path), name)), ...(existsSync(path) ? [path] : [])];
}

export async function readParts(path: string): Promise<Buffer> {
  const parts = await partsOf(path);
  if (parts.length <= 1) return readFile(path);
  return Buffer.concat(await Promise.all(parts.map((part) => textOf(part))));
}

/** Reads the records of all parts, as `readJsonl` does, with the place of each line. */
export async function readPartedJsonl<T>(path: string, each: (value: T, place: LinePlace) => void): Promise<JsonlEnd> {
  let end: JsonlEnd = { bytes: 0, torn: null };
  for (const part of await partsOf(path)) {
    const text = part.endsWith('.gz') ? await textOf(part) : undefined;
    end = await readJsonl<T>(part, (value, offset, bytes) => each(value, { path: part, offset, bytes }), text);
  }
  return end;
}

/** Reads one line without reading the others of its file. */
export async function readLineAt({ path, offset, bytes }: LinePlace): Promise<string> {
  if (!path.endsWith('.gz')) return (await slice(path, offset, bytes)).toString('utf8');
  const { members } = await indexOf(path);
  const at = members.findLastIndex(({ from }) => from <= offset);
  const end = members[at + 1]?.at ?? (await stat(path)).size;
  const text = await decompress(await slice(path, members[at].at, end - members[at].at));
  const start = offset - members[at].from;
  return text.subarray(start, start + bytes).toString('utf8');
}

/** Appends lines to a JSONL file in parts. Its length is that of the text in all parts, one number for a checkpoint. */
export class PartedJsonl {
  private constructor(
    private readonly path: string,
    private readonly partBytes: number,
    private tail: JsonlFile,
    private before: number,
    private parts: number,
  ) {}

  /** `length`: the bytes of text to keep; later lines and parts are removed. @throws if the file has fewer bytes */
  static async open(path: string, length: number, partBytes = PART_BYTES): Promise<PartedJsonl> {
    let before = 0;
    let kept = 0;
    for (const part of (await partsOf(path)).filter((name) => name !== path)) {
      const bytes = part.endsWith('.gz') ? (await indexOf(part)).bytes : (await stat(part)).size;
      if (before + bytes <= length && (bytes >= partBytes || before + bytes < length)) {
        if (!part.endsWith('.gz')) await compressPart(part);
        before += bytes;
        kept++;
        continue;
      }
      // If the kept text ends within this part, or nothing follows it, the part becomes the newest file again.
      if (before < length) {
        const text = await textOf(part);
        await namingFile(path, () => writeFile(path, text));
        await truncate(path, length - before);
      } else if (before === length) await rm(path, { force: true });
      await removePart(part);
      if (before < length) {
        for (const later of (await partsOf(path)).filter((name) => name !== path).slice(kept)) await removePart(later);
        break;
      }
    }
    return new PartedJsonl(path, partBytes, await JsonlFile.open(path, length - before), before, kept);
  }

  get bytes(): number {
    return this.before + this.tail.bytes;
  }

  async append(...values: unknown[]): Promise<void> {
    await this.tail.append(...values);
    if (this.tail.bytes < this.partBytes) return;
    const number = String(++this.parts).padStart(4, '0');
    const part = this.path.replace(/jsonl$/, `${number}.jsonl`);
    await namingFile(this.path, () => rename(this.path, part));
    await compressPart(part);
    this.before += this.tail.bytes;
    this.tail = await JsonlFile.open(this.path, 0);
  }
}

async function compressPart(part: string): Promise<void> {
  const text = await readFile(part);
  const members: Buffer[] = [];
  const index: PartIndex = { bytes: text.length, members: [] };
  let at = 0;
  for (let from = 0; from < text.length;) {
    const end = text.indexOf(10, Math.min(from + MEMBER_BYTES, text.length) - 1) + 1 || text.length;
    const member = await compress(text.subarray(from, end));
    index.members.push({ at, from });
    members.push(member);
    at += member.length;
    from = end;
  }
  await writeFileAtomically(indexPath(`${part}.gz`), JSON.stringify(index));
  await writeFileAtomically(`${part}.gz`, Buffer.concat(members));
  await rm(part);
}

async function removePart(part: string): Promise<void> {
  await namingFile(part, () => rm(part));
  if (part.endsWith('.gz')) await rm(indexPath(part), { force: true });
}

const indexPath = (part: string) => part.replace(/jsonl\.gz$/, 'index.json');

const indexOf = async (part: string) => JSON.parse(await readFile(indexPath(part), 'utf8')) as PartIndex;

/** Reads the text of a part; gunzip decompresses all members of a file in turn. */
const textOf = async (part: string): Promise<Buffer> =>
  part.endsWith('.gz') ? decompress(await readFile(part)) : readFile(part);

async function slice(path: string, start: number, length: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(length);
    await file.read(buffer, 0, length, start);
    return buffer;
  } finally {
    await file.close();
  }
}
