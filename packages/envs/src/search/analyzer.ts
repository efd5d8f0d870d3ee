// Converts text to search terms, for the search engine of the environment `webshop`. As in Lucene's English analysis, words are
// converted to lower case, stripped of a possessive 's, and stemmed, and stop words are removed. Source: Lucene's EnglishAnalyzer
// (StandardTokenizer after Unicode's UAX #29, EnglishPossessiveFilter, StopFilter, PorterStemFilter), which Pyserini and
// therefore WebShop use.
// Differs from it: all scripts without spaces between words are split into characters; Lucene does this only for Han and
// Hiragana.
import { stemmer } from 'stemmer';

const tooCommon = new Set(
  (
    'a an and are as at be but by for if in into is it no not of on or such ' +
    'that the their then there these they this to was will with'
  ).split(' '),
);

/** Characters of scripts that have no spaces between words. Each of them becomes a term. */
const ideograph =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

/** Punctuation between letters (`don't`, `u.s.a`) or between digits (`3.5`, `1,000`) belongs to the word. */
const wordOf = (part: string, letter: string, digit: string, quote: string): string =>
  `${part}+(?:(?:(?<=${letter})[:.${quote}](?=${letter})|(?<=${digit})[.,;${quote}](?=${digit}))${part}+)*`;

const words = new RegExp(
  `${wordOf(`(?:(?![${ideograph}])\\p{Alphabetic}|\\p{Nd}|_|\\p{M}|\\u200d)`, '\\p{Alphabetic}', '\\p{Nd}', "'\\u00b7\\u2018\\u2019")}|[${ideograph}]`,
  'gu',
);
/** The pattern of a word for texts of ASCII characters only, which is ten times as fast as the pattern for Unicode. */
const asciiWords = new RegExp(wordOf('[A-Za-z0-9_]', '[A-Za-z]', '[0-9]', "'"), 'g');

/** Splits a text into its words, which keep their case and endings. */
const wordsOf = (text: string): string[] => text.match(/[^\0-\x7f]/.test(text) ? words : asciiWords) ?? [];

/** A cache of the search term of each word, since the texts of a catalogue repeat most words. */
const known = new Map<string, string>();
const MOST_KNOWN = 1_000_000;

/** The length in characters at which longer words are split, as in Lucene. */
const LONGEST = 255;

/** Returns the search term of a word; empty for a stop word. */
function termOf(word: string): string {
  const bare = word.replace(/['\u2019\uff07][sS]$/, '').toLowerCase();
  return tooCommon.has(bare) || !/[\p{Alphabetic}\p{Nd}]/u.test(bare) ? '' : stemmer(bare);
}

/** Returns the search terms of a text in order, with repetitions. */
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
