// Defines a task of `verifiers`, a line in the format of the Python library verifiers: prompt, answer, info.
import type { LineTask } from '../task-lines.js';

export interface VerifiersMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface VerifiersTask extends LineTask {
  prompt: readonly VerifiersMessage[];
  /** The right answer; null if the task's line has none. */
  answer: string | null;
  info: unknown;
  /** The agent's replies that demonstrations imitate, in order; empty if the line has none. */
  completion: readonly string[];
  /** The kind of task, by which an evaluation groups results; null if the line has none. */
  kind: string | null;
  /** All columns of the line, which reward functions may read. */
  row: Readonly<Record<string, unknown>>;
}

/** Returns the prompt's messages as one text; if it contains example replies, each message follows its role's name. */
export function promptText(prompt: readonly VerifiersMessage[]): string {
  const isDialogue = prompt.some(({ role }) => role === 'assistant');
  const parts = prompt.map(({ role, content }) => (isDialogue ? `${headings[role]}: ${content}` : content));
  return parts.join('\n\n');
}

const headings = { system: 'System', user: 'User', assistant: 'Assistant' } as const;
