// Who answers in Twenty Questions. The rules oracle knows the attribute table; others may be plugged in.
import type { Word } from './words.js';

export interface Oracle {
  /** Recorded with every result, since scores under different oracles do not compare. */
  readonly id: string;
  /** Free text; the game reduces it to Yes., No. or Invalid Question. */
  answer(word: Word, question: string): string | Promise<string>;
}
