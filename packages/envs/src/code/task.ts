import type { LineTask } from '../task-lines.js';

export type CodeLanguage = 'javascript' | 'typescript';

export interface CodeTask extends LineTask {
  language: CodeLanguage;
  prompt: string;
  /** The code that a completion continues; null if the prompt is text. */
  head: string | null;
  /** The function or class that the tests use; null if the file does not name it. */
  entryPoint: string | null;
  /** Code with assertions. Each test runs separately. */
  tests: readonly string[];
  stopTokens: readonly string[];
  /** A program that passes the tests; null if the file has none. */
  solution: string | null;
  /** The category of the task in the file. */
  kind: string | null;
}
