// Defines a question with one right answer: a free text, or one of several choices.

export interface Question {
  /** The id in the file, or, without one, a hash of the question and its choices. */
  id: string;
  question: string;
  /** The text of the right choice, or the free answer in the file, perhaps with the steps of a solution, as in GSM8K. */
  answer: string;
  choices: { texts: readonly string[]; right: number } | null;
  /** The subject or category of the question; null if the file has none. */
  subject: string | null;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

export const MOST_CHOICES = LETTERS.length;

/** Returns the letter of a choice by its index: A for 0. */
export const letterOf = (choice: number): string => LETTERS[choice];

/** Returns the index of the choice with this letter; −1 for any other text. */
export const choiceOf = (letter: string): number => (letter.length === 1 ? LETTERS.indexOf(letter.toUpperCase()) : -1);
