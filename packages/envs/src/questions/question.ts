// Questions with one right answer: a text, or one of several choices.

export interface Question {
  /** The same question with the same choices has the same id. */
  id: string;
  question: string;
  /** The right answer: the whole text of the file's column, as GSM8K's with its steps; or the text of the right choice. */
  answer: string;
  /** The choices; null where the answer is a text. */
  choices: { texts: readonly string[]; right: number } | null;
  /** The field of knowledge, or another kind that the file names. */
  subject: string | null;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

export const MOST_CHOICES = LETTERS.length;

/** Returns the letter of a choice, from A. */
export const letterOf = (choice: number): string => LETTERS[choice];

/** Returns the choice of a letter, from 0; −1 for anything else. */
export const choiceOf = (letter: string): number => (letter.length === 1 ? LETTERS.indexOf(letter.toUpperCase()) : -1);
