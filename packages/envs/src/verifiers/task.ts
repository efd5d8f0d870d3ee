// Defines a task of a file in the format of the library verifiers: prompt, answer, info.
import type { LineTask } from '../task-lines.js';

export interface VerifiersMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface VerifiersTask extends LineTask {
  prompt: readonly VerifiersMessage[];
  /** The right answer; null if the line has none. */
  answer: string | null;
  info: unknown;
  /** The agent's turns to imitate, in order; empty if the line has none. */
  completion: readonly string[];
  /** The kind of task, if the line has one. */
  kind: string | null;
  /** The whole line. Rewards may read all of its columns. */
  row: Readonly<Record<string, unknown>>;
}

/** Returns the prompt's messages below each other. If it contains example replies, each message is under its role. */
export function promptText(prompt: readonly VerifiersMessage[]): string {
  const isDialogue = prompt.some(({ role }) => role === 'assistant');
  const parts = prompt.map(({ role, content }) => (isDialogue ? `${headings[role]}: ${content}` : content));
  return parts.join('\n\n');
}

const headings = { system: 'System', user: 'User', assistant: 'Assistant' } as const;
