import { unicodeEscapeDecoded } from './unicode-escape.js';

// Expected values are CPython 3.11's.
test.each([
  ['caf\u00e9 100%', 'caf\u00e9 100%'],
  ['one\\ntwo\\\\three', 'one\ntwo\\three'],
  ['\\d keeps its backslash', '\\d keeps its backslash'],
  ['caf\\xc3\\xa9', 'caf\u00e9'],
  ['\\101\\x42', 'AB'],
])('%j', (text, expected) => {
  expect(unicodeEscapeDecoded(text)).toBe(expected);
});

test.each(['\\u2019', '\\xe9', 'C:\\users', 'ends in \\'])('%j, where Python fails, stays', (text) => {
  expect(unicodeEscapeDecoded(text)).toBe(text);
});
