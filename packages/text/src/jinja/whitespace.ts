// Strips and splits texts at Python's whitespace. In contrast, JavaScript's trim() includes U+FEFF, but not U+001C to U+001F.
const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const AT_START = new RegExp(`^[${SPACE}]+`);
const WORDS = new RegExp(`[^${SPACE}]+`, 'g');
const ONLY = new RegExp(`^[${SPACE}]+$`);

export type Side = 'both' | 'start' | 'end';

/** Strips characters from the ends of a text. `chars`: the characters to remove; null: whitespace. */
export function strip(text: string, chars: string | null = null, side: Side = 'both'): string {
  if (chars === null) {
    const started = side === 'end' ? text : text.replace(AT_START, '');
    return side === 'start' ? started : started.slice(0, started.length - endSpace(started));
  }
  const removed = new Set(chars);
  const characters = Array.from(text);
  let [start, end] = [0, characters.length];
  if (side !== 'end') while (start < end && removed.has(characters[start])) start++;
  if (side !== 'start') while (end > start && removed.has(characters[end - 1])) end--;
  return characters.slice(start, end).join('');
}

/** Counts the whitespace at the end. A regular expression with `$` would take quadratic time if the text contains many spaces. */
function endSpace(text: string): number {
  let length = 0;
  while (length < text.length && ONLY.test(text[text.length - 1 - length])) length++;
  return length;
}

/**
 * Splits like str.split(). `limit`: the largest number of splits; negative: none. The rest keeps its whitespace at the far end.
 */
export function words(text: string, limit: number, fromEnd: boolean): string[] {
  const found = [...text.matchAll(WORDS)];
  const all = found.map(([word]) => word);
  const left = all.length - limit;
  if (limit < 0 || left <= 0) return all;
  if (!fromEnd) return [...all.slice(0, limit), text.slice(found[limit].index)];
  const last = found[left - 1];
  return [text.slice(0, last.index + last[0].length), ...all.slice(left)];
}

export const isSpace = (text: string): boolean => ONLY.test(text);
