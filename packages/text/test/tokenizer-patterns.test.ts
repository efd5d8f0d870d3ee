// Compares patterns of Split with the Rust library's, which packages/text/test/record-patterns.py recorded: those of published
// tokenizers and every construct of Oniguruma's syntax, on texts of many scripts. Also tests how long a pattern may take.
import { readFileSync } from 'node:fs';
import { cpuMilliseconds } from '@bowyer/testing';
import { preTokenizer } from '../src/tokenizers/pipeline/pre-tokenizers.js';
import { HuggingFaceTokenizer } from '../src/tokenizers/tokenizer.js';

type Row = [pattern: string, cells: (string | null)[]];

const { texts, isolated, behaviors } = JSON.parse(
  readFileSync(new URL('tokenizer-patterns.json', import.meta.url), 'utf8'),
) as {
  texts: string[];
  isolated: Row[];
  behaviors: [pattern: string, behavior: string, invert: boolean, pieces: string[][]][];
};

const camelCase = (name: string) => name.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

function splitter(pattern: string, behavior = 'isolated', invert = false): (text: string) => string[] {
  const split = preTokenizer({ type: 'Split', pattern: { Regex: pattern }, behavior: camelCase(behavior), invert });
  return (text) => [...split(text, true)].filter((piece) => piece !== '');
}

const pieces = (pattern: string, text: string) => splitter(pattern)(text);

/** Writes the length of each piece in characters as a digit of base 36; null if the pattern is refused. */
function cells(pattern: string): (string | null)[] {
  try {
    const split = splitter(pattern);
    const lengths = (text: string) => split(text).map((piece) => [...piece].length.toString(36));
    return texts.map((text) => lengths(text).join(''));
  } catch {
    return texts.map(() => null);
  }
}

/** (?L) searches for the longest match, which our engine does not support. */
const REFUSED = ['(?L)a|ab'];

test('the pieces of all recorded patterns and texts', () => {
  const ours = isolated.map(([pattern]) => [pattern, cells(pattern)]);
  const theirs = isolated.map(([pattern, all]) => [pattern, REFUSED.includes(pattern) ? all.map(() => null) : all]);
  expect(ours).toEqual(theirs);
});

test('every behavior, inverted and not, of patterns with empty matches', () => {
  const ours = behaviors.map(([pattern, behavior, invert, all]) =>
    texts.slice(0, all.length).map(splitter(pattern, behavior, invert)),
  );
  expect(ours).toEqual(behaviors.map(([, , , all]) => all));
});

test.each([
  ['Total 1234567', '(?=(\\d{3})+(?!\\d))', ['Total 1', '234', '567']],
  ['a\r\nb', '\\p{L}++|\\s*+', ['a', '\r\n', 'b']],
])('%j at %s', (text, pattern, expected) => expect(pieces(pattern, text)).toEqual(expected));

const long = (text: string, count: number) => text.repeat(count);

test.each<[string, string]>([
  ['a+b', long('a', 300_000)],
  ['(?>a|b)*?c', long('ab', 50_000)],
])('%s ends soon, with its place and the pattern', (pattern, text) => {
  const message = `Split.pattern.Regex takes too long on a text of ${text.length} characters and was stopped: ${pattern}`;
  expect(cpuMilliseconds(() => expect(() => pieces(pattern, text)).toThrow(message))).toBeLessThan(4_000);
});

describe('in a tokenizer', () => {
  const definition = {
    model: { type: 'BPE', vocab: { a: 0, b: 1 }, merges: [] },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Digits' },
        { type: 'Split', pattern: { Regex: '(a+)+$' }, behavior: 'Isolated', invert: false },
      ],
    },
  };

  test('the error names the file and the key', () => {
    const tokenizer = new HuggingFaceTokenizer(definition, {}, '/models/x/tokenizer.json');
    expect(() => tokenizer.encode(`${long('a', 40)}b`)).toThrow(
      '/models/x/tokenizer.json: pre_tokenizer.pretokenizers[1].pattern.Regex takes too long on a text of 41 characters and was stopped: (a+)+$',
    );
    expect(tokenizer.encode('aab')).toEqual([0, 0, 1]); // other texts are read as before
  });

  test('a pattern that cannot be read is refused when the tokenizer is made, with Oniguruma’s reason', () => {
    const broken = { ...definition, normalizer: { type: 'Replace', pattern: { Regex: 'a(b' }, content: '' } };
    expect(() => new HuggingFaceTokenizer(broken, {})).toThrow(
      'normalizer.pattern.Regex cannot be read (end pattern with unmatched parenthesis): a(b',
    );
  });

  test('an empty match of Replace is where its content is put', () => {
    const replaced = { ...definition, normalizer: { type: 'Replace', pattern: { Regex: '(?=b)' }, content: 'b' } };
    expect(new HuggingFaceTokenizer({ ...replaced, pre_tokenizer: null }, {}).encode('ab')).toEqual([0, 1, 1]);
  });
});
