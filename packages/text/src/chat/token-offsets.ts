// Finds where each token of a text begins, by decoding, since tokenizers here return only ids.
import type { Tokenizer } from '../tokenizers/tokenizer.js';

/** A character's bytes may be spread over several tokens, which are decoded together. */
const MOST_TOKENS_OF_A_PART = 16;

/**
 * Finds tokens' positions in UTF-16 code units. Tokens that form characters only together share one position.
 *
 * @returns null if the decoded tokens differ from the text, as with a tokenizer that normalises it
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

/** Finds the smallest number of tokens from `ids[i]` on whose decoded text occurs in `text` at position `at`. */
function nextPart(tokenizer: Tokenizer, text: string, at: number, ids: readonly number[], i: number) {
  for (let count = 1; count <= MOST_TOKENS_OF_A_PART && i + count <= ids.length; count++) {
    const piece = tokenizer.decode(ids.slice(i, i + count), { keepSpecialTokens: true });
    // A decoder may drop the space at the beginning of a word, so the text is also compared with that space.
    for (const spelled of [piece, ` ${piece}`])
      if (spelled !== '' && text.startsWith(spelled, at)) return { start: at, end: at + spelled.length, count };
    if (piece === '' && count === 1 && text[at] === ' ') return { start: at, end: at + 1, count };
    if (!piece.includes('\ufffd')) return null;
  }
  return null;
}
