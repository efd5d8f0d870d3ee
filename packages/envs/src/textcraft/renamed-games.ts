// Makes variants of recorded TextCraft games for training, with shuffled commands and exchanged words of item names: a policy
// would memorise the few hundred goals with their fixed lists, but must read changed ones.
import type { InformedTransition, Rng } from '@bowyer/core';

/** Returns the words of all item names, each once, in order; short ones such as "on", which are not renamed, are left out. */
export function wordsOfNames(names: Iterable<string>): string[] {
  return [...new Set([...names].flatMap((name) => name.split('_')))].filter((word) => word.length > 2);
}

/** Returns a copy of an episode with exchanged words and shuffled commands, in the observations, the actions and `info`. */
export function renamed(
  transitions: readonly InformedTransition[],
  words: readonly string[],
  rng: Rng,
): InformedTransition[] {
  const others = rng.shuffle(words);
  const list = listOf(transitions[0].observation);
  const shuffled = rng.shuffle(list.split('\n')).join('\n');
  const shownWords = new Map(words.map((word, i) => [word, others[i]]));
  const shown = (text: string) =>
    text.replace(list, () => shuffled).replace(/[a-z]+/g, (word) => shownWords.get(word) ?? word);
  return transitions.map((transition) => deeply(transition, shown));
}

const listOf = (text: string): string => /Crafting commands:\n([^]*?)\n\nGoal: /.exec(text)![1];

/** Returns a copy of a value in which `change` is applied to every text. */
function deeply<T>(value: T, change: (text: string) => string): T {
  const changed = (inner: unknown): unknown => {
    if (typeof inner === 'string') return change(inner);
    if (Array.isArray(inner)) return inner.map(changed);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, changed(item)]));
  };
  return changed(value) as T;
}
