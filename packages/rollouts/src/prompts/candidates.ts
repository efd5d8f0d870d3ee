// Selects candidates in the evolution of an agent's prompts: the one to change next, and two whose changes can be merged. A
// candidate is a set of prompt texts with its scores.
import { maximum, type Rng } from '@bowyer/core';

/** Prompt texts by the name of their position in a request: a system message, or the description of a tool. */
export type Prompts = Readonly<Record<string, string>>;

export interface Candidate {
  prompts: Prompts;
  /** The indices of the candidates from which it was made; empty for the agent's original prompts. */
  parents: readonly number[];
  /** [tasks] the score on each selection task, the tasks on which all candidates are compared. */
  scores: readonly number[];
}

/** Returns whether `one` is on no task worse than `other`, and on some task better. */
export const dominates = (one: readonly number[], other: readonly number[]): boolean =>
  one.every((score, i) => score >= other[i]) && one.some((score, i) => score > other[i]);

/** Returns the indices of the candidates that are dominated by no other candidate. */
export const paretoFront = (candidates: readonly Pick<Candidate, 'scores'>[]): number[] =>
  [...candidates.keys()].filter(
    (k) => !candidates.some(({ scores }, other) => other !== k && dominates(scores, candidates[k].scores)),
  );

/** Returns, for each task, the candidates of the Pareto front that have the highest score on it. */
function leaders(candidates: readonly Pick<Candidate, 'scores'>[], front: readonly number[]): number[][] {
  return candidates[0].scores.map((_, task) => {
    const highest = maximum(front.map((k) => candidates[k].scores[task]));
    return front.filter((k) => candidates[k].scores[task] === highest);
  });
}

/**
 * Draws the candidate to change next from the Pareto front, in proportion to the number of selection tasks on which it scores
 * highest. Source: Agrawal et al. 2025, arXiv:2507.19457, algorithm 2.
 */
export function chooseParent(candidates: readonly Pick<Candidate, 'scores'>[], rng: Rng): number {
  return rng.choice(leaders(candidates, paretoFront(candidates)).flat());
}

/** Returns the index of the candidate with the highest mean score; if several have it, of the earliest one. */
export function bestCandidate(candidates: readonly Pick<Candidate, 'scores'>[]): number {
  const sums = candidates.map(({ scores }) => scores.reduce((sum, score) => sum + score, 0));
  return sums.indexOf(maximum(sums));
}

export const samePrompts = (one: Prompts, other: Prompts): boolean =>
  Object.keys(one).every((place) => one[place] === other[place]);

/** Two candidates of the Pareto front, and their merged prompts: each text comes from the candidate that has changed it. */
interface Merge {
  parents: readonly [number, number];
  prompts: Prompts;
}

/**
 * Merges the changes that two candidates of the Pareto front have made since their last common ancestor. If both have changed a
 * text, that of the candidate with the higher mean score is used. Returns null if no pair gives new prompts. Source:
 * arXiv:2507.19457, appendix on the system-aware merge.
 */
export function mergeOf(candidates: readonly Candidate[], rng: Rng): Merge | null {
  const front = paretoFront(candidates);
  const pairs = front.flatMap((one, i) => front.slice(i + 1).map((other) => [one, other] as const));
  for (const [one, other] of rng.shuffle(pairs)) {
    const ancestor = commonAncestor(candidates, one, other);
    if (ancestor === null || ancestor === one || ancestor === other) continue;
    const prompts = joined(candidates, ancestor, [one, other]);
    if (!candidates.some((known) => samePrompts(known.prompts, prompts))) return { parents: [one, other], prompts };
  }
  return null;
}

/** Returns the index of the newest candidate from which both of these candidates descend; null if there is none. */
function commonAncestor(candidates: readonly Candidate[], one: number, other: number): number | null {
  const ofOther = lineage(candidates, other);
  const common = [...lineage(candidates, one)].filter((k) => ofOther.has(k));
  return common.length === 0 ? null : maximum(common);
}

function lineage(candidates: readonly Candidate[], k: number): Set<number> {
  return new Set([k, ...candidates[k].parents.flatMap((parent) => [...lineage(candidates, parent)])]);
}

function joined(candidates: readonly Candidate[], ancestor: number, pair: readonly [number, number]): Prompts {
  const base = candidates[ancestor].prompts;
  const better = pair[bestCandidate(pair.map((k) => candidates[k]))];
  const textOf = (place: string): string => {
    const changed = pair.filter((k) => candidates[k].prompts[place] !== base[place]);
    return candidates[changed.length === 1 ? changed[0] : better].prompts[place];
  };
  return Object.fromEntries(Object.keys(base).map((place) => [place, textOf(place)]));
}
