import { Rng } from '@bowyer/core';
import { termsOf } from './analyzer.js';
import { codedLength, lengthCode } from './bm25.js';
import { IndexBuilder } from './index-builder.js';
import { SearchIndex } from './search-index.js';

function indexOf(texts: readonly string[], ranks = Uint32Array.from(texts, (_, i) => i)): SearchIndex {
  const builder = new IndexBuilder();
  for (const text of texts) builder.add(termsOf(text));
  const pieces: Uint8Array[] = [];
  const tables = builder.finish((piece) => pieces.push(piece));
  const postings = Buffer.concat(pieces);
  return new SearchIndex(tables, (offset, length) => postings.subarray(offset, offset + length), ranks);
}

test('words become terms as in Lucene’s English analysis', () => {
  expect(termsOf("the women's running shoes, x-large (pack of 3.5 oz) u.s.a don't 1,000")).toEqual([
    'women',
    'run',
    'shoe',
    'x',
    'larg',
    'pack',
    '3.5',
    'oz',
    'u.s.a',
    "don't",
    '1,000',
  ]);
  expect(termsOf('possibly technology -- _ wi-fi 4k caf\u00e9')).toEqual([
    'possibl',
    'technolog',
    'wi',
    'fi',
    '4k',
    'caf\u00e9',
  ]);
});

test('lengths in a byte: exact to 40, then four significant bits, never longer', () => {
  for (let length = 0; length <= 40; length++) expect(codedLength(lengthCode(length))).toBe(length);
  // The codes of 60 and 144 stand for 24 + 1001b · 2² = 60 and 24 + 1111b · 2³ = 144.
  expect([61, 63, 151].map((length) => codedLength(lengthCode(length)))).toEqual([60, 60, 144]);
});

test('a term that the query says twice counts twice', () => {
  const index = indexOf(['red lamp', 'blue kettle', 'green chair']);
  expect(index.search('lamp kettle lamp', 9)).toEqual([0, 1]);
});

test('equal scores are ordered by rank, and no more than asked for are given', () => {
  const index = indexOf(['lamp', 'lamp', 'lamp', 'lamp'], Uint32Array.of(2, 0, 3, 1));
  expect(index.search('lamp', 3)).toEqual([1, 3, 0]);
  expect(index.search('kettle', 3)).toEqual([]);
});

test('against BM25 written down as its formula, on random documents', () => {
  const rng = new Rng(1);
  const words = Array.from({ length: 60 }, (_, i) => `w${i}q`);
  const word = () => words[Math.floor(60 * rng.uniform() ** 3)];
  const documents = Array.from({ length: 400 }, () => Array.from({ length: rng.integer(1, 35) }, word));
  const index = indexOf(documents.map((document) => document.join(' ')));
  const meanLength = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const held = new Map(words.map((term) => [term, documents.filter((document) => document.includes(term)).length]));
  const score = (document: readonly string[], query: readonly string[]) =>
    query.reduce((sum, term) => {
      const f = document.filter((other) => other === term).length;
      const n = held.get(term)!;
      const idf = Math.log(1 + (documents.length - n + 0.5) / (n + 0.5));
      return sum + (idf * f) / (f + 0.9 * (0.6 + (0.4 * document.length) / meanLength));
    }, 0);
  for (let trial = 0; trial < 20; trial++) {
    const query = Array.from({ length: rng.integer(1, 6) }, word);
    const scores = documents.map((document) => score(document, query));
    const found = index.search(query.join(' '), 50);
    const expected = scores.filter((value) => value > 0).sort((a, b) => b - a);
    expect(found).toHaveLength(Math.min(50, expected.length));
    const worst = Math.max(0, ...found.map((document, i) => Math.abs(scores[document] - expected[i])));
    expect(worst).toBeLessThan(1e-5);
  }
});
