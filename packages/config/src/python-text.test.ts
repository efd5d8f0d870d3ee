// The expected texts are what Python 3 prints for the same values.
import { Float, fromPlain } from './node.js';
import { floatRepr, nodeStr, pythonEquals, toInteger } from './python-text.js';

test.each([
  [0.1, '0.1'],
  [1, '1.0'],
  [1e-4, '0.0001'],
  [1e-5, '1e-05'],
  [1e15, '1000000000000000.0'],
  [1e16, '1e+16'],
  [123456.789e3, '123456789.0'],
  [1.5e-7, '1.5e-07'],
  [-2.5, '-2.5'],
  [5e-324, '5e-324'],
  [1.7976931348623157e308, '1.7976931348623157e+308'],
  [-0, '-0.0'],
  [NaN, 'nan'],
])('repr(%d)', (value, text) => {
  expect(floatRepr(value)).toBe(text);
});
test('containers print as Python prints them', () => {
  expect(nodeStr(fromPlain([1, 'two', { k: null, b: true }, "it's", 0.5], { source: '' }))).toBe(
    `[1, 'two', {'k': None, 'b': True}, "it's", 0.5]`,
  );
});
test('numbers are equal by value, text only to text', () => {
  expect([
    pythonEquals(1, new Float(1)),
    pythonEquals(true, 1),
    pythonEquals(1, '1'),
    pythonEquals(new Float(NaN), new Float(NaN)),
  ]).toEqual([true, true, false, false]);
});
test('from 2^53 on integers are bigint', () => {
  expect([toInteger('9007199254740991'), toInteger('9007199254740992'), toInteger('-12')]).toEqual([
    9007199254740991,
    9007199254740992n,
    -12,
  ]);
});
