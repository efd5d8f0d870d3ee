// More dialogues from few: the same ones with other names, so that a small model learns to copy instead of learning by heart.
import type { Rng } from '@bowyer/core';
import type { Dialogue } from './scripted-endpoint.js';

/** A set for `renamed`, where an agent copies digits, and neither counts nor compares with them. */
export const digits = [...'0123456789'];

/**
 * A dialogue in which the names of each set have changed places, in the same way wherever they stand.
 *
 * @param names sets of words or digits that stand for each other, such as kinds of fruit
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
