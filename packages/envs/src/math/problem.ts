// Problems with their answers, and their division into those of training, evaluation and the test.
import { hash32 } from '@bowyer/core';
import type { Split } from '../contract/env.js';

export interface Problem {
  /** The same question has the same id. */
  id: string;
  question: string;
  /** The kind of a generated problem. */
  kind: string | null;
  /** The right answer, in the verifier's grammar. */
  answer: string;
  /** A worked solution that ends with the answer; null where the file has none. */
  solution: string | null;
}

/** Returns the id of a question, which depends on its words, however they are spaced. */
export const questionId = (question: string): string =>
  hash32(question.replace(/\s+/g, ' ').trim()).toString(16).padStart(8, '0');

/** Returns the split of a question, which depends on its words alone: seven of ten are for training, one for evaluation, two for the test. */
export function splitOf(question: string): Split {
  // The last bits of FNV-1a are not well mixed, so the remainder is that of another hash.
  const part = hash32(`split/${questionId(question)}`) % 10;
  if (part === 0) return 'eval';
  return part < 3 ? 'test' : 'train';
}
