// A task of a file in the form of the library verifiers: prompt, answer, info.
import type { LineTask } from '../task-lines.js';

export interface VerifiersMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface VerifiersTask extends LineTask {
  prompt: readonly VerifiersMessage[];
  /** The right answer; null: the line has none. */
  answer: string | null;
  info: unknown;
  /** The agent's turns that are to be imitated, in order; empty where the line has none. */
  completion: readonly string[];
  /** The kind of task that the line names. */
  kind: string | null;
  /** The whole line, with columns that are read by rewards alone. */
  row: Readonly<Record<string, unknown>>;
}

/** Returns the prompt as an agent reads it: system and user messages one below the other; with examples of replies, each under its role. */
export function promptText(prompt: readonly VerifiersMessage[]): string {
  const isDialogue = prompt.some(({ role }) => role === 'assistant');
  const parts = prompt.map(({ role, content }) => (isDialogue ? `${headings[role]}: ${content}` : content));
  return parts.join('\n\n');
}

const headings = { system: 'System', user: 'User', assistant: 'Assistant' } as const;
