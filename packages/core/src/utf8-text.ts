/**
 * The text of a file from outside, without a byte order mark.
 *
 * @param path named in the error
 * @throws if the bytes are not UTF-8, with the first line that is not: text in another encoding would be read with wrong letters
 */
export function utf8Text(bytes: Uint8Array, path: string): string {
  const text = decoded(bytes);
  if (text !== null) return text;
  throw new Error(
    `${path}:${firstBadLine(bytes)}: the file is not UTF-8\n  convert it, for example: iconv -f latin1 -t utf-8 FILE > NEW`,
  );
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Counted from 1. A line feed is never a part of another character. */
function firstBadLine(bytes: Uint8Array): number {
  let start = 0;
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(10, start);
    if (end < 0 || decoded(bytes.subarray(start, end)) === null) return line;
    start = end + 1;
  }
}
