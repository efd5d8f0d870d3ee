import { lastCodeBlock } from '../reply-text.js';
import type { CodeOptions } from './options.js';
import type { CodeTask } from './task.js';

/** The largest number of characters in a program; a longer program is not run and fails. */
export const PROGRAM_CHARACTERS = 20_000;

type ReplyForm = Pick<CodeOptions, 'reply'>;

/** Returns the program in an agent's reply; empty if the reply has none. */
export function programIn(text: string, { head, stopTokens }: CodeTask, { reply }: ReplyForm): string {
  if (reply === 'completion') return `${head ?? ''}${untilStop(text, stopTokens)}`;
  return withoutExports(lastCodeBlock(text)).trim();
}

/** Returns a reply whose program is the task's reference solution; null if the task has none. */
export function solutionReply({ head, solution, language }: CodeTask, { reply }: ReplyForm): string | null {
  if (solution === null) return null;
  if (reply === 'completion') return solution.slice((head ?? '').length);
  return `\`\`\`${language}\n${solution.trim()}\n\`\`\``;
}

function untilStop(text: string, stopTokens: readonly string[]): string {
  const ends = stopTokens.map((token) => text.indexOf(token)).filter((place) => place >= 0);
  return text.slice(0, ends.sort((a, b) => a - b)[0]);
}

/** Removes the keyword `export`: programs run as scripts, in which the tests find declarations by name. */
const withoutExports = (code: string): string =>
  code
    .replace(
      /^export\s+(?:default\s+)?(?=async\s+function|function|class|const|let|var|interface|type|enum|abstract)/gm,
      '',
    )
    .replace(/^export\s*(?:default\s+[\w$]+|\{[^}]*\})\s*;?[^\S\n]*$/gm, '');
