// Defines problems with their answers, and divides them into training, evaluation and test.
import { hash32 } from '@bowyer/core';
import type { Split } from '../contract/env.js';
import { hashedId } from '../task-lines.js';

export interface Problem {
  /** The id in the file, or a hash of the question. */
  id: string;
  question: string;
  kind: string | null;
  /** The right answer in the verifier's grammar. */
  answer: string;
  /** A solution that ends with the answer; null if the file has none. */
  solution: string | null;
}

/** Returns the id of a question. White space does not affect it. */
export const questionId = (question: string): string => hashedId(question.replace(/\s+/g, ' ').trim());

/** Returns the split of a question, which depends only on its words: 70 % training, 10 % evaluation, 20 % test. */
export function splitOf(question: string): Split {
  // The low bits of FNV-1a are poorly mixed, so that the id is hashed again before the remainder is taken.
  const part = hash32(`split/${questionId(question)}`) % 10;
  if (part === 0) return 'eval';
  return part < 3 ? 'test' : 'train';
}
