// Defines an attribute with its truth for each word.

/** The truth of an attribute for a word. `unclear`: it depends on the specimen, or people disagree. */
export type Truth = 'yes' | 'no' | 'unclear';

export interface Attribute {
  name: string;
  ask: readonly string[];
  also: readonly string[];
  /** By the index of the word. The built-in table has 157 words. */
  truths: readonly Truth[];
}
