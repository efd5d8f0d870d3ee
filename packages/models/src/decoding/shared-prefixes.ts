// Prompts that begin alike are read once: which rows read what they share, and which rows then copy its keys and values.
import { minimum } from '@bowyer/core';
import { commonPrefix } from './common-prefix.js';

/** A row's part of the context that the model will see, of which the first `cached` tokens are in its cache. */
export interface Prompt {
  tokens: readonly number[];
  cached: number;
}

/** The first `length` columns of row `from` become those of row `to`. */
export interface PrefixCopy {
  from: number;
  to: number;
  length: number;
}

/** First `reads` (tokens `start` to `end` of which prompt), then `copies`, whose rows are indices of prompts. */
export interface SharedStage {
  reads: { prompt: number; start: number; end: number }[];
  copies: PrefixCopy[];
}

/**
 * Returns the tree of the prompts' beginnings, a stage for each level: one prompt of a branch reads what all of the branch share, and
 * the others copy it. The last token of a prompt is always left to be fed: what is sampled depends on it.
 *
 * @param least tokens that a branch must save each of its prompts but one; less is not worth another run of the graph
 */
export function sharedPrefixes(prompts: readonly Prompt[], least: number): SharedStage[] {
  const stages: SharedStage[] = [];
  const cached = prompts.map((prompt) => prompt.cached);
  const visit = (branch: readonly number[], level: number) => {
    if (branch.length === 1) return;
    const common = commonPrefix(prompts[branch[0]].tokens, prompts[branch.at(-1)!].tokens); // of all, since they are sorted
    const first = branch.reduce((best, i) => (cached[i] > cached[best] ? i : best));
    const others = branch.filter((i) => i !== first);
    const end = Math.min(common, minimum(branch.map((i) => prompts[i].tokens.length - 1)));
    const copies = others.filter((i) => end - cached[i] >= least).map((to) => ({ from: first, to, length: end }));
    if (copies.length > 0) {
      const stage = (stages[level] ??= { reads: [], copies: [] });
      if (end > cached[first]) stage.reads.push({ prompt: first, start: cached[first], end });
      for (const copy of copies) stage.copies.push(copy);
      for (const i of [first, ...copies.map(({ to }) => to)]) cached[i] = Math.max(cached[i], end);
    }
    for (const next of branches(prompts, branch, common)) visit(next, level + Number(copies.length > 0));
  };
  const unread = prompts.flatMap(({ tokens, cached: known }, i) => (tokens.length - known > least ? [i] : []));
  if (unread.length > 0)
    visit(
      unread.sort((a, b) => compare(prompts[a].tokens, prompts[b].tokens) || a - b),
      0,
    );
  return stages.filter(() => true);
}

/** Groups sorted prompts by the token that follows those they share; prompts that end there have none. */
function branches(prompts: readonly Prompt[], branch: readonly number[], common: number): number[][] {
  const byNext = new Map<number, number[]>();
  for (const i of branch) {
    const next = prompts[i].tokens[common];
    if (next !== undefined) byNext.set(next, [...(byNext.get(next) ?? []), i]);
  }
  return [...byNext.values()];
}

/** Compares lexicographically; a prompt comes before those that continue it. */
function compare(a: readonly number[], b: readonly number[]): number {
  const same = commonPrefix(a, b);
  return (a[same] ?? -1) - (b[same] ?? -1);
}
