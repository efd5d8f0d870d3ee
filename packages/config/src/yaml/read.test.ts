import { cpuMilliseconds } from '@bowyer/testing';
import { toPlain } from '../node.js';
import { readYaml } from './read.js';
import { writeYaml } from './write.js';
import { YamlError } from './yaml-error.js';

const plain = (text: string) => toPlain(readYaml(text, 'x.yaml')!);

function mistake(text: string): YamlError {
  try {
    readYaml(text, 'x.yaml');
  } catch (error) {
    if (error instanceof YamlError) return error;
    throw error;
  }
  throw new Error('reads without an error');
}

test('unquoted words have the types of YAML 1.1', () => {
  expect(plain('[yes, Off, y, ~, null, 010, 0x1F, 0b101, 1_000, 1:30, 0o17, 09]')).toEqual([
    true,
    false,
    'y',
    null,
    null,
    8,
    31,
    5,
    1000,
    90,
    '0o17',
    '09',
  ]);
});
test('floats need no dot, and dates are text', () => {
  expect(plain('[1e3, .5, 5., -.INF, .NaN, 1_0.5, 2024-01-02, inf, 1e]')).toEqual([
    1000,
    0.5,
    5,
    -Infinity,
    NaN,
    10.5,
    '2024-01-02',
    'inf',
    '1e',
  ]);
});
test('integers of any size are kept', () => {
  expect(plain('a: 123456789012345678901234567890')).toEqual({ a: 123456789012345678901234567890n });
});
test('keys 1 and "1" are two keys; 1 and 1.0 are one, as in Python', () => {
  expect(writeYaml(readYaml(`1: a\n'1': b\n1.0: c\n`, 'x')!)).toBe(`1: c\n'1': b\n`);
});
test('merged-in keys come first, own values win', () => {
  expect(writeYaml(readYaml('b: &b {z: 1, y: 2}\nt: {a: 0, z: 9, <<: *b}\n', 'x')!)).toBe(
    `b:\n  z: 1\n  'y': 2\nt:\n  z: 9\n  'y': 2\n  a: 0\n`,
  );
});
test('every value knows its line and column', () => {
  const node = readYaml('a: 1\nb:\n  - x\n  - y\n', 'x.yaml')!;
  const list = node.kind === 'map' ? node.get('b') : undefined;
  expect(list?.kind === 'list' && list.items[1]!.origin).toEqual({ source: 'x.yaml', line: 4, column: 5 });
});

test.each([
  ['a: [1, 2\nb: 3\n', 2, 1, 'flow sequence in block collection must be sufficiently indented and end with a ]'],
  ['a: 1\nb: 2\na: 3\n', 3, 1, `key 'a' appears twice in one mapping, first at line 1`],
  ['a:\n\tb: 1\n', 2, 1, 'tabs are not allowed as indentation'],
  ['a: 1\n  b: 2\n', 1, 4, `a second ': ' in one value`],
  ['a: "x\n', 1, 4, 'a quoted string is never closed'],
  ['a: *x\n', 1, 4, `alias '*x' has no anchor before it`],
  ['a: 1\n---\nb: 2\n', 2, 1, 'a second document begins here'],
  ['null: 1\n', 1, 1, 'a key cannot be null'],
  ['a: !!set {x}\n', 1, 10, `tag 'set' does not fit a config value`],
  ['a: \u0000\n', 1, 4, 'character U+0000 is not allowed in YAML'],
])('%j is refused with its place', (text, line, column, message) => {
  const error = mistake(text);
  expect([error.line, error.column, error.message]).toEqual([line, column, message]);
});

test('an alias bomb is refused before it is expanded', () => {
  // Each line after the first is a list of nine aliases of the line before: ten lines stand for 9^10 values.
  const letters = 'abcdefghij';
  const lines = [...letters].map(
    (name, level) =>
      `${name}: &${name} [${Array(9)
        .fill(level === 0 ? 'x' : `*${letters[level - 1]}`)
        .join(', ')}]`,
  );
  expect(mistake(lines.join('\n')).message).toBe('more than 1,000,000 values after its aliases are expanded');
});
test.each(['[', '{', '- ', '? ', '[a: ', '{a: ', 'a: [', '&a [', '!x {'])(
  'nesting without end (%j) is refused at once',
  (opening) => {
    const refuse = () => expect(mistake(opening.repeat(50_000)).message).toBe('more than 500 levels of nesting');
    expect(cpuMilliseconds(refuse)).toBeLessThan(2000); // Issue 16: this took 16 s.
  },
);
test('nesting by indentation is bounded too', () => {
  const nested = (depth: number) => Array.from({ length: depth }, (_, level) => `${' '.repeat(level)}a:\n`).join('');
  expect(readYaml(nested(450), 'x')?.kind).toBe('map');
  expect(mistake(nested(2000)).message).toBe('more than 500 levels of nesting');
});
