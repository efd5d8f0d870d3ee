// Makes more dialogues from few: copies with other names, so that a small model learns to copy names and does not memorize them.
import type { Rng } from '@bowyer/core';
import type { Dialogue } from './scripted-endpoint.js';

/** A set for `renamed`, for agents that copy digits and neither count nor compare with them. */
export const digits = [...'0123456789'];

/**
 * Returns the dialogue with the names of each set exchanged, each name by the same other one everywhere.
 *
 * @param names sets of words or digits that may replace each other, such as kinds of fruit
 */
export function renamed(dialogue: Dialogue, names: readonly (readonly string[])[], rng: Rng): Dialogue {
  const other = new Map<string, string>();
  for (const set of names) {
    const shuffled = rng.shuffle(set);
    set.forEach((name, i) => other.set(name, shuffled[i]));
  }
  const rename = (text: string) => text.replace(/\p{L}+|\d/gu, (word) => other.get(word) ?? word);
  const messages = dialogue.messages.map(({ content, tool_calls, ...message }) => ({
    ...message,
    content: rename(content),
    ...(tool_calls && {
      tool_calls: tool_calls.map(({ type, function: { name, arguments: args } }) => ({
        type,
        function: { name, arguments: rename(args) },
      })),
    }),
  }));
  return { ...dialogue, messages };
}
