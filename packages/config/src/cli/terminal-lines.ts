// Text for people: on a terminal, lines are broken between words instead of anywhere.
import { printable } from './printable.js';
import type { TextSink } from './program.js';

/**
 * Writes a text and an end of line. On a terminal, lines that are wider than it are broken between words, and what follows is
 * indented by two more columns. A longer word, such as a path, stays whole. Everywhere else lines stay as they are. Characters that a
 * terminal obeys are shown: see `printable`.
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
