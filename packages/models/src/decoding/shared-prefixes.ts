// Decides which prompt reads a prefix that several prompts have in common, and which prompts then copy its keys and values.
import { minimum } from '@bowyer/core';
import { commonPrefix, compareTokens } from '../batching/common-prefix.js';

/** The section of a row's context that the model sees; its first `cached` tokens are in the row's cache. */
export interface Prompt {
  tokens: readonly number[];
  cached: number;
}

/** Says that the first `length` positions of row `from` are copied to row `to`. */
export interface PrefixCopy {
  from: number;
  to: number;
  length: number;
}

/** First `reads` are executed (tokens `start` to `end`, exclusive), then `copies`; their rows are indices of prompts. */
export interface SharedStage {
  reads: { prompt: number; start: number; end: number }[];
  copies: PrefixCopy[];
}

/**
 * Returns one stage for each level of the tree of the prompts' prefixes: one prompt of a branch reads the branch's common prefix,
 * the others copy it. A prompt's last token is never in a stage, since the next token is sampled from its logits.
 *
 * @param least the least number of tokens saved by copying for which another run of the graph is worth it
 */
export function sharedPrefixes(prompts: readonly Prompt[], least: number): SharedStage[] {
  const stages: SharedStage[] = [];
  const cached = prompts.map((prompt) => prompt.cached);
  const visit = (branch: readonly number[], level: number) => {
    if (branch.length === 1) return;
    const common = commonPrefix(prompts[branch[0]].tokens, prompts[branch.at(-1)!].tokens); // sorted, so common to all
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
      unread.sort((a, b) => compareTokens(prompts[a].tokens, prompts[b].tokens) || a - b),
      0,
    );
  return stages.filter(() => true);
}

/** Groups sorted prompts by the token that follows their common prefix; prompts without such a token are in no group. */
function branches(prompts: readonly Prompt[], branch: readonly number[], common: number): number[][] {
  const byNext = new Map<number, number[]>();
  for (const i of branch) {
    const next = prompts[i].tokens[common];
    if (next !== undefined) byNext.set(next, [...(byNext.get(next) ?? []), i]);
  }
  return [...byNext.values()];
}
