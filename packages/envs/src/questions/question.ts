// Defines questions with one right answer: a text, or one of several choices.

export interface Question {
  /** The id in the file, or a hash of the question and its choices. */
  id: string;
  question: string;
  /** The right answer: the text of the file's column, with steps if it has some as in GSM8K, or the text of the right choice. */
  answer: string;
  choices: { texts: readonly string[]; right: number } | null;
  /** The subject or category, if the file has one. */
  subject: string | null;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

export const MOST_CHOICES = LETTERS.length;

/** Returns the letter of a choice, from A. */
export const letterOf = (choice: number): string => LETTERS[choice];

/** Returns the index of the choice with this letter; −1 for any other text. */
export const choiceOf = (letter: string): number => (letter.length === 1 ? LETTERS.indexOf(letter.toUpperCase()) : -1);
