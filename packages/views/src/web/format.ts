// Numbers as people read them.

/** Writes a number with three significant digits, or as the integer that it is. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return minus(String(value));
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return minus(value.toExponential(2));
  return minus(String(Number(value.toPrecision(size >= 1000 ? 5 : 3))));
}

/** Returns a number with a sign, for differences. */
export const signed = (value: number): string => (value > 0 ? `+${figure(value)}` : figure(value));

const minus = (text: string) => text.replace(/^-/, '−');

/** Returns a text with the minus of figures before its numbers; a hyphen within a word, a date or a range of characters stays. */
export const withMinus = (text: string): string => text.replace(/(^|[\s(…±])-(?=\.?\d)/g, '$1−');

/** Returns whether a cell is a figure, an interval or the sign for none: columns of these are set to the right. */
export const isFigure = (text: string): boolean => /^[–]$|^[-−+]?[\d.][\d.,e+\-−]*( ?%)?( ?[±…/(].*)?$/.test(text);

/** Returns a moment in the reader's time, as logs write it: the same form in every country. */
export function moment(ms: number): string {
  const at = new Date(ms);
  const [month, day, hours, minutes] = [at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${at.getFullYear()}-${month}-${day} ${hours}:${minutes}`;
}
