// Finds where in a text its tokens begin.
import type { Tokenizer } from '../tokenizers/tokenizer.js';

/** Bytes of one character may be in several tokens. */
const MOST_TOKENS_OF_A_PART = 16;

/**
 * Finds the places of a text's tokens, in UTF-16 code units. Tokens that only together spell characters have one place. Found by reading
 * the tokens one after the other.
 *
 * @param ids the tokens of `text`
 * @returns null where the tokens do not spell the text, as of a tokenizer that normalises it
 */
export function tokenOffsets(
  tokenizer: Tokenizer,
  text: string,
  ids: readonly number[],
): { start: number; end: number }[] | null {
  const offsets: { start: number; end: number }[] = [];
  let at = 0;
  for (let i = 0; i < ids.length;) {
    const part = nextPart(tokenizer, text, at, ids, i);
    if (part === null) return null;
    for (let k = 0; k < part.count; k++) offsets.push({ start: part.start, end: part.end });
    i += part.count;
    at = part.end;
  }
  return offsets;
}

/** Finds the fewest tokens from `ids[i]` on that spell the text from `at` on. */
function nextPart(tokenizer: Tokenizer, text: string, at: number, ids: readonly number[], i: number) {
  for (let count = 1; count <= MOST_TOKENS_OF_A_PART && i + count <= ids.length; count++) {
    const piece = tokenizer.decode(ids.slice(i, i + count), { keepSpecialTokens: true });
    // A decoder may leave out the space that a word begins with.
    for (const spelled of [piece, ` ${piece}`])
      if (spelled !== '' && text.startsWith(spelled, at)) return { start: at, end: at + spelled.length, count };
    if (piece === '' && count === 1 && text[at] === ' ') return { start: at, end: at + 1, count };
    if (!piece.includes('\ufffd')) return null;
  }
  return null;
}
