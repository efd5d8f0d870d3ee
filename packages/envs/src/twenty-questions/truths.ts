// A row of a table of answers, in the form in which it is used.

/** The truth of an attribute for a word. `unclear`: it depends on the specimen, or people disagree. */
export type Truth = 'yes' | 'no' | 'unclear';

export interface Attribute {
  name: string;
  ask: readonly string[];
  also: readonly string[];
  /** By the index of the word; of the built-in table 157. */
  truths: readonly Truth[];
}
