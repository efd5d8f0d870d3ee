// Made-up games for imitation: a goal's commands in another order, its items with the words of others. There are a few hundred goals,
// each with one list of commands, which a policy soon knows by heart; of made-up ones it can only read.
import type { InformedTransition, Rng } from '@bowyer/core';

/** Words of item names, each once, in the order of the recipes. Particles ("on a stick") are not renamed. */
export function wordsOfNames(names: Iterable<string>): string[] {
  return [...new Set([...names].flatMap((name) => name.split('_')))].filter((word) => word.length > 2);
}

/** The episode with its words exchanged and its listed commands shuffled; `info` too, but for the task's depth. */
export function renamed(
  transitions: readonly InformedTransition[],
  words: readonly string[],
  rng: Rng,
): InformedTransition[] {
  const first = transitions[0].observation;
  const others = rng.shuffle(words);
  const names = new Map(words.map((word, i) => [word, others[i]]));
  const rename = (text: string) => text.replace(/[a-z]+/g, (word) => names.get(word) ?? word);
  const list = listOf(first);
  const shuffled = rng.shuffle(list.split('\n')).join('\n');
  const changed = (text: string) => rename(text.replace(list, () => shuffled));
  return transitions.map((transition) => deeply(transition, changed) as InformedTransition);
}

/** The commands of a task's text, a line each. */
const listOf = (text: string): string => /Crafting commands:\n([^]*?)\n\nGoal: /.exec(text)![1];

function deeply(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => deeply(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deeply(item, change)]));
}
