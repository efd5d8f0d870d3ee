// Looks up words in the dictionary of a Z-machine game, and splits a typed line into words for the game's parser. Source: The
// Z-Machine Standards Document 1.1, section 13.
import type { Story } from './story.js';
import type { ZText } from './z-text.js';

export interface DictionaryEntry {
  word: string;
  address: number;
  /** The bytes after the word, whose meaning the game defines: Inform stores flags and the numbers of verb and preposition. */
  data: Uint8Array;
}

export class Dictionary {
  readonly entries: readonly DictionaryEntry[];
  readonly #separators: ReadonlySet<number>;
  readonly #addresses = new Map<string, number>();
  readonly #byAddress = new Map<number, DictionaryEntry>();

  constructor(
    story: Story,
    private readonly text: ZText,
    memory: Uint8Array,
    address: number,
  ) {
    const separatorCount = memory[address];
    this.#separators = new Set(memory.subarray(address + 1, address + 1 + separatorCount));
    let at = address + 1 + separatorCount;
    const entryLength = memory[at];
    // A negative count marks an unsorted dictionary (section 13.2 of the standard). It is read in the same way as a sorted one.
    const count = Math.abs((((memory[at + 1] << 8) | memory[at + 2]) << 16) >> 16);
    at += 3;
    const wordLength = story.version <= 3 ? 4 : 6;
    const entries: DictionaryEntry[] = [];
    for (let i = 0; i < count; i++, at += entryLength) {
      const encoded = memory.subarray(at, at + wordLength);
      this.#addresses.set(encoded.join(), at);
      const entry = {
        word: text.decode(encoded, 0).text,
        address: at,
        data: memory.slice(at + wordLength, at + entryLength),
      };
      entries.push(entry);
      this.#byAddress.set(at, entry);
    }
    this.entries = entries;
  }

  /** Returns the memory address of a word's dictionary entry; 0 for an unknown word. */
  lookUp(codes: readonly number[]): number {
    return this.#addresses.get(this.text.encode(codes).join()) ?? 0;
  }

  /** Finds the dictionary entry of a word that a player has typed; undefined if the game does not know it. */
  find(word: string): DictionaryEntry | undefined {
    const address = this.lookUp([...word.toLowerCase()].map((character) => this.text.zscii.code(character)));
    return address === 0 ? undefined : this.#byAddress.get(address);
  }

  at(address: number): DictionaryEntry | undefined {
    return this.#byAddress.get(address);
  }

  has(word: string): boolean {
    return this.find(word) !== undefined;
  }

  /** Splits a line into words with their positions. Separators such as commas are words too; spaces are not. */
  split(line: ArrayLike<number>): { codes: number[]; start: number }[] {
    const words: { codes: number[]; start: number }[] = [];
    let current: { codes: number[]; start: number } | null = null;
    for (let i = 0; i < line.length; i++) {
      const code = line[i];
      if (code === 32) current = null;
      else if (this.#separators.has(code)) {
        words.push({ codes: [code], start: i });
        current = null;
      } else {
        if (current === null) words.push((current = { codes: [], start: i }));
        current.codes.push(code);
      }
    }
    return words;
  }
}
