// Defines an attribute of Twenty Questions, a yes/no question with the answer for each word.

/** The answer to an attribute's question for a word. `unclear`: the answer depends on the specimen, or people disagree. */
export type Truth = 'yes' | 'no' | 'unclear';

export interface Attribute {
  name: string;
  ask: readonly string[];
  also: readonly string[];
  /** The answers by the index of the word. The built-in table has 157 words. */
  truths: readonly Truth[];
}
