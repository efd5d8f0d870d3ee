// Problems with their answers, and their division into those of training, evaluation and the test.
import { hash32 } from '@bowyer/core';
import type { Split } from '../contract/env.js';

export interface Problem {
  /** The same question has the same id. */
  id: string;
  question: string;
  /** The kind of a generated problem. */
  kind: string | null;
  /** The right answer, as the verifier reads it. */
  answer: string;
  /** A worked solution that ends with the answer; null where the file has none. */
  solution: string | null;
}

/** A problem is known by its words, however they are spaced. */
export const questionId = (question: string): string =>
  hash32(question.replace(/\s+/g, ' ').trim()).toString(16).padStart(8, '0');

/** Seven of ten questions are for training, one for evaluation, two for the test: decided by the question's words alone. */
export function splitOf(question: string): Split {
  // The last bits of FNV-1a mix least, so the remainder is that of another hash.
  const part = hash32(`split/${questionId(question)}`) % 10;
  if (part === 0) return 'eval';
  return part < 3 ? 'test' : 'train';
}
