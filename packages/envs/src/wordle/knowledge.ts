// Keeps the knowledge about Wordle's hidden word that follows from the answers so far: for each letter, at which positions it is,
// is not or may be. As in LMRL-Gym, it does not include how often a letter occurs, although the answers may show that.
import { WORD_LENGTH } from './vocabulary.js';

/** The knowledge about one letter at one position: `open` means that the letter may be there. */
type Mark = 'open' | 'here' | 'not here';

export class Knowledge {
  private constructor(private readonly marks: ReadonlyMap<string, readonly Mark[]>) {}

  static readonly nothing = new Knowledge(new Map());

  /** Returns the knowledge after a guess, whose answer follows from the hidden word. */
  after(guess: string, hidden: string): Knowledge {
    const marks = new Map(this.marks);
    [...guess].forEach((letter, place) => {
      if (!hidden.includes(letter)) {
        marks.set(
          letter,
          Array.from({ length: WORD_LENGTH }, () => 'not here' as const),
        );
        return;
      }
      const row = [...(marks.get(letter) ?? Array.from({ length: WORD_LENGTH }, () => 'open' as const))];
      row[place] = hidden[place] === letter ? 'here' : 'not here';
      marks.set(letter, row);
    });
    return new Knowledge(marks);
  }

  allows(word: string): boolean {
    for (const [letter, row] of this.marks) {
      if (isAbsent(row)) {
        if (word.includes(letter)) return false;
        continue;
      }
      if (!word.includes(letter)) return false;
      const contradicted = row.some((mark, place) => mark !== 'open' && (mark === 'here') !== (word[place] === letter));
      if (contradicted) return false;
    }
    return true;
  }

  /** Returns the answer to a guess that `after` has added, such as "g y b b g" (g: right place, y: in the word, b: not in it). */
  colours(guess: string): string {
    return [...guess]
      .map((letter, place) => {
        const row = this.marks.get(letter)!;
        return row[place] === 'here' ? 'g' : isAbsent(row) ? 'b' : 'y';
      })
      .join(' ');
  }
}

const isAbsent = (row: readonly Mark[]) => row.every((mark) => mark === 'not here');
