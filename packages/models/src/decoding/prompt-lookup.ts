// Drafts of the next tokens by looking up what followed the last ones before, for texts that repeat themselves.
// Source: Saxena 2023, "Prompt lookup decoding" (github.com/apoorvumang/prompt-lookup-decoding); the check of drafts is that of
// speculative decoding (Leviathan et al. 2023, arXiv:2211.17192), in its simplest exact form: see TokenLoop.speculate.

/** Lengths of the sequences that are looked up, the longest first. */
const NGRAMS = [3, 2];

/**
 * The tokens that followed the latest earlier place which ends as the text does.
 *
 * @param tokens the text so far; @param most tokens of the draft
 * @returns up to `most` tokens; none where nothing is found
 */
export function draftTokens(tokens: readonly number[], most: number): number[] {
  if (most <= 0) return [];
  const end = tokens.length;
  for (const n of NGRAMS)
    for (let start = end - n - 1; start >= 0; start--) {
      let same = 0;
      while (same < n && tokens[start + same] === tokens[end - n + same]) same++;
      if (same === n) return tokens.slice(start + n, start + n + most);
    }
  return [];
}
