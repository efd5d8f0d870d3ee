// Makes the splits of a TextWorldExpress game: the worlds of its folds train, dev and test.
import type { Split } from '../contract/env.js';
import {
  divided,
  seedOfSplit,
  splitOfSeed,
  splits,
  type EpisodeOfSplit,
  type ItemChoice,
  type SplitPlan,
} from '../splits.js';
import type { TextWorldExpressGame } from './descriptions.js';
import type { Fold } from './parameters.js';

const foldOf: Readonly<Record<Split, Fold>> = { train: 'train', eval: 'dev', test: 'test' };

/** The games with a fixed number of problems per fold, of which the seed modulo this number selects one. */
const problemGames: readonly TextWorldExpressGame[] = ['arithmetic', 'sorting'];
const PROBLEMS = 100;

/**
 * Returns the splits of a game. @param options.fold null: each split uses its own fold; else all worlds are from this fold, and
 * its seeds or problems are divided between the splits
 */
export function textWorldExpressSplits(game: TextWorldExpressGame, { fold }: { fold: Fold | null }): SplitPlan {
  return problemGames.includes(game) ? problemSplits(fold) : worldSplits(fold);
}

const worldSplits = (fold: Fold | null): SplitPlan => ({
  noun: 'worlds',
  shared: false,
  count: () => null,
  choose: ({ split, seed }) =>
    fold === null ? choice(foldOf[split], seed, seed | 0) : choice(fold, seedOfSplit(split, seed)),
  splitOf: (item) => (fold === null ? splitOfFold(item) : splitOfSeed(Number(item.slice(fold.length + 1)))),
});

const splitOfFold = (item: string): Split | undefined => splits.find((split) => item.startsWith(`${foldOf[split]} `));

function problemSplits(fold: Fold | null): SplitPlan {
  const all = [...Array(PROBLEMS).keys()];
  const of = fold === null ? { train: all, eval: all, test: all } : divided(all);
  return {
    noun: 'problems',
    shared: false,
    count: (split) => of[split].length,
    splitOf: (item) =>
      fold === null
        ? splitOfFold(item)
        : splits.find((split) => of[split].includes(Number(item.slice(fold.length + 1)))),
    choose: ({ split, seed, episode }: EpisodeOfSplit) => {
      const own = fold ?? foldOf[split];
      if (episode === undefined && of[split].includes(problemOf(seed))) return choice(own, seed, problemOf(seed));
      const problem = of[split][(episode ?? seed) % of[split].length];
      // The game reads a seed as a signed integer; below 2³¹ it is not negative, so that its remainder is the same there.
      const start = seed >>> 1;
      return choice(own, start - (start % PROBLEMS) + problem, problem);
    },
  };
}

/** Returns the index of the problem that a seed selects. The seed is read as a signed 32-bit integer. */
const problemOf = (seed: number): number => (((seed | 0) % PROBLEMS) + PROBLEMS) % PROBLEMS;

const choice = (fold: Fold, seed: number, id = seed): ItemChoice => ({ reset: { seed, fold }, item: `${fold} ${id}` });
