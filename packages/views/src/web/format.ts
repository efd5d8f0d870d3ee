/** Formats a number with three significant digits, or as an integer; a missing one as a dash. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return minus(String(value));
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return minus(value.toExponential(2));
  return minus(String(Number(value.toPrecision(size >= 1000 ? 5 : 3))));
}

/** Formats a difference with its sign. */
export const signed = (value: number): string => (value > 0 ? `+${figure(value)}` : figure(value));

const minus = (text: string) => text.replace(/^-/, '−');

/** Replaces hyphens before numbers by minus signs. Hyphens within words, dates and ranges are not changed. */
export const withMinus = (text: string): string => text.replace(/(^|[\s(…±])-(?=\.?\d)/g, '$1−');

/** A number, an interval, or a dash for a missing value. Columns of such cells are aligned right. */
export const isFigure = (text: string): boolean => /^[–]$|^[-−+]?[\d.][\d.,e+\-−]*( ?%)?( ?[±…/(].*)?$/.test(text);

/** Formats a time in the reader's time zone. The form does not depend on the reader's country. */
export function moment(ms: number): string {
  const at = new Date(ms);
  const [month, day, hours, minutes] = [at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${at.getFullYear()}-${month}-${day} ${hours}:${minutes}`;
}
