import { flaskJson, pythonDict, pythonFloat, pythonJson, pythonRound, pythonString } from './repr.js';

test.each([
  ['plain', "'plain'"],
  ["women's", `"women's"`],
  ['5" x 7"', `'5" x 7"'`],
  [`6'2"`, `'6\\'2"'`],
  ['a\\b\n\t', "'a\\\\b\\n\\t'"],
  ['caf\u00e9\u00a0\u200b\u{1f600}', "'caf\u00e9\\xa0\\u200b\u{1f600}'"],
])('repr(%j)', (text, expected) => {
  expect(pythonString(text)).toBe(expected);
});

test('a dict keeps its order; as JSON it is sorted and safe inside a page', () => {
  const dict = new Map([
    ['size', '4 ounce'],
    ['color', "mom's <\u00e9>"],
  ]);
  expect(pythonDict(dict)).toBe(`{'size': '4 ounce', 'color': "mom's <\u00e9>"}`);
  expect(flaskJson(dict)).toBe('{"color": "mom\\u0027s \\u003c\\u00e9\\u003e", "size": "4 ounce"}');
});

test('floats', () => {
  const values = [1, 20.5, 1 / 6, 1e-4, 1.5e-5, 1e-7, 1e15, 1e16, -2e22, -Infinity];
  const printed = [
    '1.0',
    '20.5',
    '0.16666666666666666',
    '0.0001',
    '1.5e-05',
    '1e-07',
    '1000000000000000.0',
    '1e+16',
    '-2e+22',
    '-inf',
  ];
  expect(values.map(pythonFloat)).toEqual(printed);
});

test('rounding takes the even neighbour of two that are as near, and the nearer one of a binary fraction', () => {
  expect([0.125, 0.375, 2.625, -0.125, -0.375, 1.005, 2.675, 1.115, 100].map(pythonRound)).toEqual([
    0.12, 0.38, 2.62, -0.12, -0.38, 1, 2.67, 1.11, 100,
  ]);
});

test('JSON is ASCII and has spaces; members may be sorted', () => {
  const value = new Map<string, unknown>([
    ['b', [1, 'caf\u00e9\u007f"\n', null, true]],
    ['1656367028', { z: 0.5, y: '\u{1f600}' }],
  ]);
  const b = '"b": [1.0, "caf\\u00e9\\u007f\\"\\n", null, true]';
  expect(pythonJson(value)).toBe(`{${b}, "1656367028": {"z": 0.5, "y": "\\ud83d\\ude00"}}`);
  expect(pythonJson(value, { sorted: true })).toBe(`{"1656367028": {"y": "\\ud83d\\ude00", "z": 0.5}, ${b}}`);
});
