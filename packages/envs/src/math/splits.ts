// The splits of problems: the file's splits, or splits by a hash of the question.
import { listedSplits, type SplitPlan } from '../splits.js';
import type { MathOptions } from './options.js';
import { readProblems } from './problem-file.js';

export function mathSplits({ problems }: MathOptions): SplitPlan {
  if (problems === null)
    return {
      noun: 'problems',
      shared: false,
      count: () => null,
      choose: ({ split, seed }) => ({ reset: { seed, split }, item: ({ item }) => String(item) }),
    };
  const file = readProblems(problems);
  const numbered = (split: keyof typeof file) => file[split].map(({ id }, problem) => ({ split, problem, id }));
  return listedSplits({
    noun: 'problems',
    items: { train: numbered('train'), eval: numbered('eval'), test: numbered('test') },
    reset: ({ split, problem }) => ({ split, problem }),
    id: ({ id }) => id,
  });
}
