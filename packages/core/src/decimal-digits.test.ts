import { decimalDigits, keepsDigits } from './decimal-digits.js';

test('equal numbers have one form, however they are written', () => {
  expect(['1.50', '15e-1', '1.5', '0.15E+1'].map(decimalDigits)).toEqual(Array.from({ length: 4 }, () => '15e-1'));
  expect(['0', '-0', '0.000', '0e9'].map(decimalDigits)).toEqual(['0', '0', '0', '0']);
  expect(decimalDigits('-1200')).toBe('-12e2');
});

test.each([
  ['0.1', true],
  ['1.0e+22', true],
  ['9007199254740992', true],
  ['9007199254740993', false],
  ['0.300000000000000041', false],
  ['1e400', false],
  ['1e-400', false],
])('%s has the digits of its float64: %s', (text, keeps) => {
  expect(keepsDigits(text)).toBe(keeps);
});
