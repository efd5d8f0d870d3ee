// The knowledge of the hidden word that the answers so far give, for each letter and place, as LMRL-Gym keeps it. It is a little
// less than the answers say: how often a letter occurs is not kept.
import { WORD_LENGTH } from './vocabulary.js';

/** The knowledge about one letter at one place. */
type Mark = 'open' | 'here' | 'not here';

/** The knowledge: for each letter that was guessed, one mark for each place. */
export class Knowledge {
  private constructor(private readonly marks: ReadonlyMap<string, readonly Mark[]>) {}

  static readonly nothing = new Knowledge(new Map());

  /** Returns the knowledge after `guess` met `hidden`. */
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

  /** Returns the answer to a guess that is already part of this knowledge: "g y b b g". */
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
