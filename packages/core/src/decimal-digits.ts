/**
 * Writes a number of JSON in one form: its sign, its digits without zeros around them, and the power of ten of the last one, so that
 * `1.50`, `15e-1` and `1.5` are equal, and numbers that differ in a digit beyond those of a float64 are not.
 *
 * @param text anything else is returned as it is
 */
export function decimalDigits(text: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return text;
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  return digits === '' ? '0' : `${sign}${digits}e${Number(exponent) - fraction.length + all.length - digits.length}`;
}

/** Returns whether a number of JSON has the digits of the float64 that it is read as. */
export const keepsDigits = (text: string): boolean =>
  decimalDigits(text) === decimalDigits(JSON.stringify(Number(text)));
