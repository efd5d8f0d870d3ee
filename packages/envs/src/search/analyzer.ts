// Converts text to search terms like Lucene's English analysis: words in lower case without a possessive 's, without stop words,
// stemmed.
// Source: Lucene's EnglishAnalyzer (StandardTokenizer after Unicode's UAX #29, EnglishPossessiveFilter, StopFilter,
// PorterStemFilter), which Pyserini and therefore WebShop use.
// Differs from it: all scripts without spaces between words are split into characters; Lucene does this only for Han and
// Hiragana.
import { stemmer } from 'stemmer';

const tooCommon = new Set(
  (
    'a an and are as at be but by for if in into is it no not of on or such ' +
    'that the their then there these they this to was will with'
  ).split(' '),
);

/** Letters of scripts that have no spaces between words. */
const ideograph =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

/** Returns the pattern of a word. It may have marks between letters (`don't`, `u.s.a`) or digits (`3.5`, `1,000`). */
const wordOf = (part: string, letter: string, digit: string, quote: string): string =>
  `${part}+(?:(?:(?<=${letter})[:.${quote}](?=${letter})|(?<=${digit})[.,;${quote}](?=${digit}))${part}+)*`;

const words = new RegExp(
  `${wordOf(`(?:(?![${ideograph}])\\p{Alphabetic}|\\p{Nd}|_|\\p{M}|\\u200d)`, '\\p{Alphabetic}', '\\p{Nd}', "'\\u00b7\\u2018\\u2019")}|[${ideograph}]`,
  'gu',
);
/** The same pattern for ASCII texts. It is ten times as fast. */
const asciiWords = new RegExp(wordOf('[A-Za-z0-9_]', '[A-Za-z]', '[0-9]', "'"), 'g');

/** Returns the words of a text in order, unchanged. */
const wordsOf = (text: string): string[] => text.match(/[^\0-\x7f]/.test(text) ? words : asciiWords) ?? [];

/** A cache of the terms of words, most of which a catalogue repeats often. */
const known = new Map<string, string>();
const MOST_KNOWN = 1_000_000;

/** Longer words are split after this many characters, as in Lucene. */
const LONGEST = 255;

/** Returns the term of a word; empty for a stop word. */
function termOf(word: string): string {
  const bare = word.replace(/['\u2019\uff07][sS]$/, '').toLowerCase();
  return tooCommon.has(bare) || !/[\p{Alphabetic}\p{Nd}]/u.test(bare) ? '' : stemmer(bare);
}

/** Returns the terms of a text in order, with repetitions. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const word of wordsOf(text)) {
    let term = known.get(word);
    if (term === undefined) {
      term = termOf(word.slice(0, LONGEST));
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(word, term);
    }
    if (term !== '') terms.push(term);
  }
  return terms;
}
