// Defines ZSCII, the character set of the Z-machine, and the three alphabets of five-bit Z-characters. Source: Standards Document
// 1.1, sections 3.2 to 3.5 (alphabets) and 3.8 (ZSCII).
import type { Story } from './story.js';

const DEFAULT_ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  ' \r0123456789.,!?_#\'"/\\-:()',
] as const;

/** The characters of ZSCII codes 155 to 223 for games without their own table (table 1 of section 3 of the standard). */
const DEFAULT_EXTRA_CHARACTERS = 'äöüÄÖÜß»«ëïÿËÏáéíóúýÁÉÍÓÚÝàèìòùÀÈÌÒÙâêîôûÂÊÎÔÛåÅøØãñõÃÑÕæÆçÇþðÞÐ£œŒ¡¿';

const FIRST_EXTRA = 155;
const NEWLINE = 13;

export class Zscii {
  /** The alphabets A0, A1 and A2 of five-bit characters, each with the ZSCII codes of 26 characters. */
  readonly alphabets: readonly (readonly number[])[];
  readonly #toText: string[] = [];
  readonly #fromText = new Map<string, number>();

  constructor(story: Story) {
    this.alphabets =
      story.alphabetTable > 0
        ? customAlphabets(story)
        : DEFAULT_ALPHABETS.map((row) => [...row].map((character) => character.charCodeAt(0)));
    for (let code = 32; code < 127; code++) this.#define(code, String.fromCharCode(code));
    extraCharacters(story).forEach((character, i) => this.#define(FIRST_EXTRA + i, character));
    this.#define(NEWLINE, '\n');
    this.#toText[9] = '   '; // paragraph indent of version 6, harmless in others (3.8.2.3)
    this.#toText[11] = '  ';
  }

  /** Returns the text of a ZSCII code; empty if the code prints nothing. */
  text(code: number): string {
    return this.#toText[code] ?? '';
  }

  /** Returns the ZSCII code of a character; the code of '?' if the game's character set lacks it. */
  code(character: string): number {
    return this.#fromText.get(character) ?? 63;
  }

  #define(code: number, character: string): void {
    this.#toText[code] = character;
    if (!this.#fromText.has(character)) this.#fromText.set(character, code);
  }
}

function customAlphabets(story: Story): number[][] {
  const rows = [0, 1, 2].map((row) =>
    Array.from({ length: 26 }, (_, i) => story.bytes[story.alphabetTable + 26 * row + i]),
  );
  rows[2][1] = NEWLINE; // Z-character 7 of A2 is always a newline, whatever the table has (3.5.5.1)
  return rows;
}

function extraCharacters(story: Story): string[] {
  if (story.unicodeTable === 0) return [...DEFAULT_EXTRA_CHARACTERS];
  const count = story.bytes[story.unicodeTable];
  return Array.from({ length: count }, (_, i) => String.fromCharCode(story.word(story.unicodeTable + 1 + 2 * i)));
}
