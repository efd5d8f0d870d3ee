// Converts between text and Z-characters, the five-bit codes in which a game stores its texts and dictionary words. Source: The
// Z-Machine Standards Document 1.1, section 3.
import type { Story } from './story.js';
import { Zscii } from './zscii.js';

interface DecodedText {
  text: string;
  /** The address of the first byte after the text. */
  end: number;
}

export class ZText {
  readonly zscii: Zscii;

  constructor(private readonly story: Story) {
    this.zscii = new Zscii(story);
  }

  /** Decodes a text. @param memory of the machine, not of the file, since names of objects are in writable memory */
  decode(memory: Uint8Array, address: number): DecodedText {
    const zCharacters: number[] = [];
    let at = address;
    for (let last = false; !last && at + 1 < memory.length; at += 2) {
      const word = (memory[at] << 8) | memory[at + 1];
      zCharacters.push((word >> 10) & 31, (word >> 5) & 31, word & 31);
      last = word >= 0x8000;
    }
    return { text: this.#spell(memory, zCharacters), end: at };
  }

  /** Returns the decoded text at an address. It is cached if it is in static memory, which cannot change. */
  textAt(memory: Uint8Array, address: number): string {
    if (address < this.story.staticBase) return this.decode(memory, address).text;
    let text = this.story.texts.get(address);
    if (text === undefined) {
      text = this.decode(memory, address).text;
      this.story.texts.set(address, text);
    }
    return text;
  }

  #spell(memory: Uint8Array, zCharacters: number[]): string {
    const { alphabets } = this.zscii;
    let text = '';
    let alphabet = 0;
    for (let i = 0; i < zCharacters.length; i++) {
      const z = zCharacters[i];
      if (z === 4 || z === 5) {
        alphabet = z - 3;
        continue;
      }
      if (z === 0) text += ' ';
      else if (z <= 3) {
        // An abbreviation code at the very end of a text, without its index, prints nothing.
        if (i + 1 < zCharacters.length) text += this.#abbreviation(memory, 32 * (z - 1) + zCharacters[i + 1]);
        i++;
      } else if (alphabet === 2 && z === 6) {
        if (i + 2 < zCharacters.length) text += this.zscii.text((zCharacters[i + 1] << 5) | zCharacters[i + 2]);
        i += 2;
      } else text += this.zscii.text(alphabets[alphabet][z - 6]);
      alphabet = 0;
    }
    return text;
  }

  #abbreviation(memory: Uint8Array, index: number): string {
    const entry = this.story.abbreviations + 2 * index;
    return this.textAt(memory, 2 * ((memory[entry] << 8) | memory[entry + 1]));
  }

  /** Encodes ZSCII codes as the dictionary does: padded or cut to 6 Z-characters (4 bytes) in version 3, later to 9 (6 bytes). */
  encode(codes: readonly number[]): Uint8Array {
    const length = this.story.version <= 3 ? 6 : 9;
    const zCharacters: number[] = [];
    for (const code of codes) {
      if (zCharacters.length >= length) break;
      zCharacters.push(...this.#zCharactersOf(code));
    }
    const encoded = new Uint8Array((length / 3) * 2);
    for (let i = 0; i < length; i += 3) {
      const [a, b, c] = [0, 1, 2].map((j) => zCharacters[i + j] ?? 5);
      const word = (a << 10) | (b << 5) | c | (i + 3 === length ? 0x8000 : 0);
      encoded[(i / 3) * 2] = word >> 8;
      encoded[(i / 3) * 2 + 1] = word & 255;
    }
    return encoded;
  }

  #zCharactersOf(code: number): number[] {
    if (code === 32) return [0];
    const [lower, upper, other] = this.zscii.alphabets;
    if (lower.includes(code)) return [6 + lower.indexOf(code)];
    if (upper.includes(code)) return [4, 6 + upper.indexOf(code)];
    // In the alphabet A2, index 0 is the code for an escape and index 1 the newline, so that its other characters begin at index 2.
    const inOther = other.indexOf(code, 2);
    if (inOther >= 0) return [5, 6 + inOther];
    return [5, 6, code >> 5, code & 31];
  }
}
