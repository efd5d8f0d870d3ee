// Divides the math problems into splits: as the problem file names them, or else by a hash of the question.
import type { SplitPlan } from '../splits.js';
import { numberedItems } from '../task-units.js';
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
  return numberedItems('problems', readProblems(problems), 'problem');
}
