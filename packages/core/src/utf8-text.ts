// Reads text files from outside, and explains what a file is that is not UTF-8 text: compressed, columnar data, or text in another
// encoding.

/**
 * Decodes the text of a file from outside, and removes a byte order mark.
 *
 * @param path the path in error messages
 * @throws if the bytes are not UTF-8, with the first line that is not; text in another encoding would be read with wrong letters
 */
export function utf8Text(bytes: Uint8Array, path: string): string {
  refuseOtherFormats(bytes, path);
  if (bytes.length > MOST_BYTES)
    throw new Error(
      `${path}: the file has ${Math.ceil(bytes.length / 1e6)} MB, and files that are read whole have at most ${MOST_BYTES / 1e6} MB\n` +
        "  give one item on each line: for an array of JSON, jq -c '.[]' FILE > NEW",
    );
  const text = decoded(bytes);
  if (text !== null) return text;
  throw notUtf8(path, firstBadLine(bytes));
}

/** The most bytes that are decoded, since JavaScript's strings have at most 2²⁹ − 24 characters. */
const MOST_BYTES = 500_000_000;

/** Decodes one line of a file, and removes a byte order mark. `line`: counted from 1. */
export function utf8Line(bytes: Uint8Array, path: string, line: number): string {
  const text = decoded(bytes);
  if (text === null) throw notUtf8(path, line);
  return text;
}

const notUtf8 = (path: string, line: number): Error =>
  new Error(`${path}:${line}: the file is not UTF-8\n  convert it, for example: iconv -f latin1 -t utf-8 FILE > NEW`);

/** The first bytes of files of known formats, and the command that converts each to text. */
const FORMATS: readonly (readonly [name: string, magic: string, command: string])[] = [
  ['compressed with gzip', '1f8b', 'gzip -dc FILE > NEW'],
  ['compressed with zstd', '28b52ffd', 'zstd -dc FILE > NEW'],
  ['compressed with xz', 'fd377a585a00', 'xz -dc FILE > NEW'],
  ['compressed with bzip2', '425a68', 'bzip2 -dc FILE > NEW'],
  ['compressed with lz4', '04224d18', 'lz4 -dc FILE > NEW'],
  ['a zip archive', '504b0304', 'unzip -p FILE > NEW'],
  ['a 7z archive', '377abcaf271c', '7z e -so FILE > NEW'],
  [
    'a Parquet table',
    '50415231',
    `python -c "import pandas; pandas.read_parquet('FILE').to_json('NEW', orient='records', lines=True)"`,
  ],
  [
    'an Arrow table',
    '4152524f5731',
    `python -c "import pandas; pandas.read_feather('FILE').to_json('NEW', orient='records', lines=True)"`,
  ],
  ['an SQLite database', '53514c69746520666f726d6174203300', 'sqlite3 -json FILE "select * from TABLE" > NEW'],
  ['text in UTF-32', 'fffe0000', 'iconv -f UTF-32 -t UTF-8 FILE > NEW'],
  ['text in UTF-32', '0000feff', 'iconv -f UTF-32 -t UTF-8 FILE > NEW'],
  ['text in UTF-16', 'fffe', 'iconv -f UTF-16 -t UTF-8 FILE > NEW'],
  ['text in UTF-16', 'feff', 'iconv -f UTF-16 -t UTF-8 FILE > NEW'],
];

/** The pattern of zero bytes by which an encoding without a byte order mark is recognized, if the first characters are ASCII. */
const ZEROS: readonly (readonly [encoding: string, pattern: RegExp])[] = [
  ['UTF-32LE', /^(.000){2,}$/],
  ['UTF-32BE', /^(000.){2,}$/],
  ['UTF-16LE', /^(.0){2,}$/],
  ['UTF-16BE', /^(0.){2,}$/],
];

export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/**
 * @param head the beginning of the file, at least 16 bytes if it has as many
 * @throws with the format of the file, unless it is text
 */
export function refuseOtherFormats(head: Uint8Array, path: string): void {
  const start = Buffer.from(head.subarray(0, 16)).toString('hex');
  const known = FORMATS.find(([, magic]) => start.startsWith(magic));
  if (known !== undefined) throw new Error(`${path}: the file is ${known[0]}\n  convert it to text: ${known[2]}`);
  const first = head.subarray(0, Math.min(16, head.length & ~3));
  const zeros = Array.from(first, (byte) => (byte === 0 ? '0' : '.')).join('');
  const encoding = ZEROS.find(([, pattern]) => pattern.test(zeros))?.[0];
  if (encoding !== undefined)
    throw new Error(`${path}: the file is text in ${encoding}\n  convert it: iconv -f ${encoding} -t UTF-8 FILE > NEW`);
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Finds the first line that is not UTF-8, counted from 1. A line feed byte never occurs inside another character. */
function firstBadLine(bytes: Uint8Array): number {
  let start = 0;
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(10, start);
    if (end < 0 || decoded(bytes.subarray(start, end)) === null) return line;
    start = end + 1;
  }
}
