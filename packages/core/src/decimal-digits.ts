/**
 * Normalises a JSON number to its sign, its digits without leading and trailing zeros, and the power of ten of the last digit. `1.50`,
 * `15e-1` and `1.5` become equal, and numbers that differ beyond the precision of a float64 stay different.
 *
 * @param text any text; returned unchanged if it is not a number
 */
export function decimalDigits(text: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return text;
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  return digits === '' ? '0' : `${sign}${digits}e${Number(exponent) - fraction.length + all.length - digits.length}`;
}

/** Returns whether a JSON number can be read as a float64 without losing digits. */
export const keepsDigits = (text: string): boolean =>
  decimalDigits(text) === decimalDigits(JSON.stringify(Number(text)));
