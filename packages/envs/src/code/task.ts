import type { LineTask } from '../task-lines.js';

export type CodeLanguage = 'javascript' | 'typescript';

export interface CodeTask extends LineTask {
  language: CodeLanguage;
  prompt: string;
  /** The beginning of the program, which the agent's reply continues; null if the prompt is plain text. */
  head: string | null;
  /** The function or class that the tests use; null if the file does not name it. */
  entryPoint: string | null;
  /** The unit tests: code with assertions. Each one runs separately. */
  tests: readonly string[];
  stopTokens: readonly string[];
  /** A reference program that passes the tests; null if the file has none. */
  solution: string | null;
  /** The category of the task that the file states, for separate results in reports. */
  kind: string | null;
}
