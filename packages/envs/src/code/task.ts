import type { LineTask } from '../task-lines.js';

export type CodeLanguage = 'javascript' | 'typescript';

export interface CodeTask extends LineTask {
  language: CodeLanguage;
  /** The task as an agent reads it. */
  prompt: string;
  /** The code that a completion continues; null where the prompt is a text. */
  head: string | null;
  /** The function or class that the tests use; null where the line does not name it. */
  entryPoint: string | null;
  /** Code with assertions; each is run by itself. */
  tests: readonly string[];
  /** Texts at which a completion ends. */
  stopTokens: readonly string[];
  /** A program that passes; null where the line has none. */
  solution: string | null;
  /** The kind of task that the line names. */
  kind: string | null;
}
