import { Fraction, NoValueError } from '../fraction.js';

/** The largest number of digits before and after the decimal point. A longer number is refused. */
export const MAX_DIGITS = 400;

/** Parses a decimal number exactly. @param text such as `12`, `1.5` or `1.2e3` */
export function decimal(text: string): Fraction {
  const [mantissa, exponent = '0'] = text.toLowerCase().split('e');
  if (exponent.length > 5) throw new NoValueError('too large an exponent');
  return Fraction.fromDecimal(mantissa).times(Fraction.of(10).power(BigInt(exponent)));
}

/** Parses a number with repeating decimals: the text `0.1` with the repeating digits `6` is 0.1666… */
export function repeatingDecimal(text: string, digits: string): Fraction {
  const [, decimals = ''] = text.split('.');
  if (digits.length + text.length > MAX_DIGITS) throw new NoValueError('too many digits');
  const once = Fraction.of(BigInt(digits), 10n ** BigInt(digits.length) - 1n);
  const before = Fraction.fromDecimal(text.replace(/\.$/, ''));
  return before.plus(once.over(Fraction.of(10n ** BigInt(decimals.length))));
}
