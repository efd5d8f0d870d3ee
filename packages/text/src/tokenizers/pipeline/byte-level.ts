// Represents bytes by GPT-2's alphabet: every byte has a printable character, so that a vocabulary of texts can represent any bytes.
// Source: Radford et al. 2019; the table is `bytes_to_unicode` of openai/gpt-2's encoder.py.

/** The character of each byte: printable bytes have their own characters, the others U+0100 and the following ones. */
export const CHAR_OF_BYTE: readonly string[] = (() => {
  const isPrintable = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : next++));
})();

const BYTE_OF_CHAR = new Map(CHAR_OF_BYTE.map((char, byte) => [char, byte]));

const encoder = new TextEncoder();

/** [256] the UTF-16 code of each byte's character. */
const CODE_OF_BYTE = Uint16Array.from(CHAR_OF_BYTE, (char) => char.charCodeAt(0));

const decoder = new TextDecoder('utf-16le');

/** The length from which `otherBytesAsText` is faster than concatenating characters. */
const LONG = 64;

/** Returns the text's UTF-8 bytes, each as its character in GPT-2's alphabet. */
export function bytesAsText(text: string): string {
  if (text.length >= LONG) return otherBytesAsText(text);
  let result = '';
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 128) return result + otherBytesAsText(text.slice(i));
    result += CHAR_OF_BYTE[code];
  }
  return result;
}

function otherBytesAsText(text: string): string {
  const bytes = encoder.encode(text);
  const codes = new Uint16Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) codes[i] = CODE_OF_BYTE[bytes[i]];
  return decoder.decode(codes);
}

/** Inverts `bytesAsText`; a text with characters outside the alphabet is encoded as UTF-8. */
export function textAsBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const byte = BYTE_OF_CHAR.get(text[i]);
    if (byte === undefined) return encoder.encode(text);
    bytes[i] = byte;
  }
  return bytes;
}
