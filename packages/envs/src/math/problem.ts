// Defines a math problem with its answer, and the function that assigns a question to the training, evaluation or test split.
import { hash32 } from '@bowyer/core';
import type { Split } from '../contract/env.js';
import { hashedId } from '../task-lines.js';

export interface Problem {
  /** The id in the problem file, or, without one, a hash of the question. */
  id: string;
  question: string;
  kind: string | null;
  /** The right answer as text that the verifier can parse; math.md has the grammar. */
  answer: string;
  /** A written solution that ends with the answer; null if the file has none. */
  solution: string | null;
}

/** Returns the id of a question: a hash of its text, in which any run of white space counts as one space. */
export const questionId = (question: string): string => hashedId(question.replace(/\s+/g, ' ').trim());

/** Returns the split of a question, by a hash of its text: 70 % are training, 10 % evaluation and 20 % test problems. */
export function splitOf(question: string): Split {
  // The low bits of the hash FNV-1a are poorly mixed, so that the id is hashed again before the remainder is taken.
  const part = hash32(`split/${questionId(question)}`) % 10;
  if (part === 0) return 'eval';
  return part < 3 ? 'test' : 'train';
}
