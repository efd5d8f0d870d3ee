// Decodes single tokens, whose texts the report shows in heat maps of token probabilities.
import type { TokenTexts } from '@bowyer/core';
import type { Tokenizer } from '@bowyer/text';

/** The largest number of pairs of tokens whose text is cached. */
const MAX_PAIRS = 100_000;

/** The text depends on the previous token, since word-level tokenizers put spaces between words. */
export function tokenTexts(tokenizer: Pick<Tokenizer, 'decode'>): TokenTexts {
  const known = new Map<string, string>();
  const textOf = (before: number | undefined, id: number): string => {
    const pair = `${before ?? ''} ${id}`;
    let text = known.get(pair);
    if (text !== undefined) return text;
    const options = { keepSpecialTokens: true };
    const first = before === undefined ? '' : tokenizer.decode([before], options);
    text = tokenizer.decode(before === undefined ? [id] : [before, id], options).slice(first.length);
    if (known.size >= MAX_PAIRS) known.clear();
    known.set(pair, text);
    return text;
  };
  return (ids) => ids.map((id, i) => textOf(i === 0 ? undefined : ids[i - 1], id));
}
