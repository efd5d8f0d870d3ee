import { flaskJson, pythonDict, pythonFloat, pythonString } from './repr.js';

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
  expect([1, 20.5, 1 / 6].map(pythonFloat)).toEqual(['1.0', '20.5', '0.16666666666666666']);
});
