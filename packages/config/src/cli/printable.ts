/**
 * Matches control characters except tab and line feed, and characters that reorder text (Unicode's embeddings, overrides and
 * isolates). With these, a text can move a terminal's cursor, set its title, or hide parts of a line.
 */
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Escapes characters that control a terminal as `\u001b` and the like, which JSON reads as the same characters. Texts from outside,
 * such as names of tools and reasons of failures, are escaped before they are printed.
 */
export const printable = (text: string): string =>
  text.replace(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
