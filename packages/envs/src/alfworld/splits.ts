import { relative, sep } from 'node:path';
import { servedSplits } from '../agentgym/splits.js';
import type { Split } from '../contract/env.js';
import { listedSplits, seedSplits, type SplitPlan } from '../splits.js';
import type { AlfworldOptions } from './alfworld.js';
import { findGames } from './problem-file.js';

/** The folder of ALFWorld's dataset for each split: `eval` has rooms that also occur in training, `test` has other rooms. */
const FOLDERS: Readonly<Record<Split, string>> = { train: 'train', eval: 'valid_seen', test: 'valid_unseen' };

export function alfworldSplits({ backend, games, testItems }: AlfworldOptions): SplitPlan {
  if (backend === 'agentgym') return servedSplits('alfworld', { testItems });
  if (games === null) return seedSplits('households');
  const paths = findGames(games).map((path) => relative(games, path));
  const numbers = [...paths.keys()];
  const inFolder = (split: Split) => numbers.filter((game) => paths[game].split(sep).includes(FOLDERS[split]));
  const own = { train: inFolder('train'), eval: inFolder('eval'), test: inFolder('test') };
  const isDivided = Object.values(own).every((part) => part.length > 0);
  return listedSplits({
    noun: 'games',
    items: isDivided ? own : numbers,
    reset: (game) => ({ game }),
    id: (game) => paths[game] || 'the game',
  });
}
