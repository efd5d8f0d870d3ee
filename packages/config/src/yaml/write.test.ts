// The expected texts are those that PyYAML 6 (yaml.dump, block style, unicode allowed) prints for the same values.
import { Float, ScalarNode, fromPlain, toPlain, type PlainValue } from '../node.js';
import { readYaml } from './read.js';
import { writeYaml } from './write.js';

const origin = { source: 'test' };
const yaml = (value: PlainValue) => writeYaml(fromPlain(value, origin));

test.each([
  [1, '1.0'],
  [0.0001, '0.0001'],
  [1e-5, '1.0e-05'],
  [1e15, '1000000000000000.0'],
  [1e16, '1.0e+16'],
  [0.1, '0.1'],
  [-0, '-0.0'],
  [Infinity, '.inf'],
  [-Infinity, '-.inf'],
  [NaN, '.nan'],
  [1.5e300, '1.5e+300'],
])('float %d is written %s', (value, text) => {
  expect(writeYaml(new ScalarNode(new Float(value), origin))).toBe(`${text}\n`);
});

// Other kinds of texts are tested with files that Hydra has written, in the recorded cases.
test.each([
  ['10_', `'10_'`],
  ['1e3', `'1e3'`],
  ['false', `'false'`],
  ['2024-01-02', `'2024-01-02'`],
  ['- a', `'- a'`],
  ['-a', '-a'],
  ['tab\t', '"tab\\t"'],
  ['two\nlines', `'two\n\n  lines'`],
])('text %j is written %s', (text, written) => {
  expect(yaml({ k: text })).toBe(`k: ${written}\n`);
});

test('lines fold at the first space beyond column 80, continued two deeper', () => {
  const words = Array(20).fill('word').join(' ');
  // "k: " and 16 words of 4 letters with 15 spaces are 82 columns: the space after them is the first beyond 80.
  expect(yaml({ k: words })).toBe(`k: ${Array(16).fill('word').join(' ')}\n  word word word word\n`);
});
test('an empty key and a long key are written with a question mark', () => {
  expect(yaml({ '': 1, ['k'.repeat(130)]: 2 })).toBe(`? ''\n: 1\n? ${'k'.repeat(130)}\n: 2\n`);
});

// U+0085 and U+2028 are missing from these texts: like PyYAML, this writer makes line breaks of them.
test('whatever is written reads back as the same value', () => {
  const texts = [
    'a',
    ' a',
    'a ',
    '\n',
    'a\n\nb',
    '"',
    "'",
    '\\',
    '#',
    ': ',
    '-',
    '?',
    '|',
    '%',
    '@',
    '🤖 x',
    '0x1F',
    '1:30',
    '.5',
    '~',
    'x'.repeat(200),
    'word '.repeat(40),
    '\t',
    '\r\n',
  ];
  const pairs = texts.flatMap((a) => texts.map((b) => a + b));
  const value = Object.fromEntries(pairs.map((text, index) => [`k${index}`, text]));
  expect(toPlain(readYaml(yaml(value), 'x')!)).toEqual(value);
});
