import { maximum } from '@bowyer/core';

/** Formats a table as plain text. The first column is aligned left, the others right, with two spaces between columns. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => maximum(lines.map((line) => line[column].length)));
  const format = (line: readonly string[]) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join('  ');
  return [format(header), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(format)].join('\n');
}

/** Writes rows as CSV, quoted as in RFC 4180, section 2. An empty cell stands for null. */
export function csvText(header: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [header, ...rows].map((row) => `${row.map((value) => csvCell(String(value ?? ''))).join(',')}\n`).join('');
}

export const csvCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
