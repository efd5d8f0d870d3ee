// Represents bytes within a text as Python's error handler `surrogateescape` does (PEP 383): a byte from 0x80 on is the lone surrogate
// U+DC00 + byte, which does not occur in valid texts.

const ESCAPE = 0xdc00;

/** Escapes bytes; those below 0x80 become ASCII characters. */
export function escapedBytes(bytes: Iterable<number>): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte < 0x80 ? byte : ESCAPE + byte);
  return text;
}

/** Encodes the text as UTF-8, with each escape as its byte. */
export function unescapedBytes(text: string): Uint8Array {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { 0: escapes, index } of text.matchAll(/(?<![\ud800-\udbff])[\udc80-\udcff]+/g)) {
    pieces.push(
      Buffer.from(text.slice(from, index)),
      Uint8Array.from(escapes, (each) => each.charCodeAt(0) - ESCAPE),
    );
    from = index + escapes.length;
  }
  pieces.push(Buffer.from(text.slice(from)));
  return Buffer.concat(pieces);
}
