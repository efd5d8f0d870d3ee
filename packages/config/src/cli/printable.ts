/**
 * Control characters but for tab and line feed, and the characters that reorder text (Unicode's embeddings, overrides and isolates).
 * A terminal obeys them: they move its cursor, set its title, or hide what a line says.
 */
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Shows the characters of a text that a terminal would obey as `\u001b` and the like, which JSON reads as the same characters. Names
 * of tools, reasons of failures and other texts of strangers pass it before they are printed.
 */
export const printable = (text: string): string =>
  text.replace(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
