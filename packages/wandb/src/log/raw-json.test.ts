import { jsonText, parseJsonText } from './raw-json.js';

test('JSON with the tokens of W&B', () => {
  const value = { a: [NaN, -Infinity, 1], b: 'NaN', c: { d: 'Infinity "x"' } };
  expect(jsonText(value)).toBe('{"a": [NaN, -Infinity, 1], "b": "NaN", "c": {"d": "Infinity \\"x\\""}}');
  expect(parseJsonText(jsonText(value))).toEqual(value);
});
