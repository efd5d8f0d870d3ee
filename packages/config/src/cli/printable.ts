/** Control characters except tab and line feed, and Unicode's embeddings, overrides and isolates, which reorder text. */
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Escapes characters that control a terminal as `\u001b` and the like, which JSON reads as the same characters: for texts from
 * outside, such as names of tools, before they are printed.
 */
export const printable = (text: string): string =>
  text.replace(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
