// Literal (`|`) and folded (`>`) blocks: their header, indentation, folding, and what becomes of the line breaks at their end.
import { isBreak, type Cursor } from './cursor.js';

/** A block scalar that begins at the cursor. @param parentIndent column of the block it stands in, −1 at the top */
export function readBlockScalar(cursor: Cursor, style: '|' | '>', parentIndent: number): string {
  const header = /^[|>](?:([-+])([0-9])?|([0-9])([-+])?)?/.exec(cursor.text.slice(cursor.index, cursor.index + 3))!;
  cursor.index += header[0].length;
  const chomping = header[1] ?? header[4] ?? '';
  const increment = header[2] ?? header[3];
  if (increment === '0') cursor.fail('a block cannot be indented by 0', 'give 1 to 9, or leave the number out');
  const afterHeader = cursor.index;
  while (cursor.peek() === ' ') cursor.index++;
  if (cursor.peek() === '#' && cursor.index > afterHeader)
    while (cursor.peek() !== '' && !isBreak(cursor.peek())) cursor.index++;
  if (cursor.peek() !== '' && !isBreak(cursor.peek()))
    cursor.fail(`text behind '${style}'`, 'begin the block on the next line, or quote the value');
  cursor.scanBreak();
  return scanBlockLines(cursor, style, chomping, increment, parentIndent);
}

function scanBlockLines(
  cursor: Cursor,
  style: '|' | '>',
  chomping: string,
  increment: string | undefined,
  parentIndent: number,
): string {
  const minimum = Math.max(parentIndent + 1, 1);
  let breaks = '';
  let indent = minimum + Number(increment ?? 1) - 1;
  if (increment === undefined) {
    // The deepest of the leading blank lines counts too.
    let deepest = 0;
    for (;;) {
      while (cursor.peek() === ' ') cursor.index++;
      deepest = Math.max(deepest, cursor.column);
      const next = cursor.scanBreak();
      if (next === '') break;
      breaks += next;
    }
    indent = Math.max(minimum, deepest);
  } else breaks = scanBlockBreaks(cursor, indent);
  let text = '';
  let lineBreak = '';
  while (cursor.column === indent && cursor.peek() !== '') {
    text += breaks;
    const leadingBlank = cursor.peek() === ' ' || cursor.peek() === '\t';
    const start = cursor.index;
    while (cursor.peek() !== '' && !isBreak(cursor.peek())) cursor.index++;
    text += cursor.text.slice(start, cursor.index);
    lineBreak = cursor.scanBreak();
    breaks = scanBlockBreaks(cursor, indent);
    if (cursor.column !== indent || cursor.peek() === '') break;
    const nextBlank = cursor.peek() === ' ' || cursor.peek() === '\t';
    if (style === '>' && lineBreak === '\n' && !leadingBlank && !nextBlank) text += breaks === '' ? ' ' : '';
    else text += lineBreak;
  }
  return text + (chomping === '-' ? '' : lineBreak) + (chomping === '+' ? breaks : '');
}

function scanBlockBreaks(cursor: Cursor, indent: number): string {
  let breaks = '';
  for (;;) {
    while (cursor.column < indent && cursor.peek() === ' ') cursor.index++;
    const next = cursor.scanBreak();
    if (next === '') return breaks;
    breaks += next;
  }
}
