// Numbers as people read them.

/** Three significant digits, or the whole number. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return minus(String(value));
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return minus(value.toExponential(2));
  return minus(String(Number(value.toPrecision(size >= 1000 ? 5 : 3))));
}

/** With a sign, for differences. */
export const signed = (value: number): string => (value > 0 ? `+${figure(value)}` : figure(value));

const minus = (text: string) => text.replace(/^-/, '−');
