// Prints messages for users; on a terminal, long lines are wrapped between words.
import { printable } from './printable.js';
import type { TextSink } from './program.js';

/**
 * Writes a text and a line end. On a terminal, too wide lines are wrapped between words, with a continuation indented by two more
 * columns; elsewhere lines are not changed. Characters that control a terminal are escaped.
 */
export function writeLines(sink: TextSink, text: string): void {
  const lines = printable(text).split('\n');
  const rows = sink.isTTY ? lines.map((line) => broken(line, sink.columns || 80)) : lines;
  sink.write(`${rows.join('\n')}\n`);
}

function broken(line: string, columns: number): string {
  if (line.length <= columns) return line;
  const indent = /^ */.exec(line)![0];
  const [first, ...words] = line.trim().split(' ');
  const rows = [indent + first];
  for (const word of words) {
    const longer = `${rows.at(-1)} ${word}`;
    if (longer.length <= columns) rows[rows.length - 1] = longer;
    else rows.push(`${indent}  ${word}`);
  }
  return rows.join('\n');
}
