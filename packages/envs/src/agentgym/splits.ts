// Divides the problems of an AgentGym server into sets for training, evaluation and test.
import { divided, listedSplits, type SplitPlan } from '../splits.js';
import { familyOf, type AgentGymFamily } from './families.js';
import { readItemNumbers } from './item-list.js';

interface ServedItems {
  firstItem?: number;
  items?: number | null;
  /** The file that lists the problems of the test set. All other problems are divided between training and evaluation. */
  testItems?: string | null;
}

export function servedSplits(
  name: AgentGymFamily,
  { firstItem = 0, items = null, testItems = null }: ServedItems,
): SplitPlan {
  const numbers = Array.from({ length: items ?? familyOf(name).items }, (_, i) => firstItem + i);
  const plan = { noun: 'problems', reset: (dataIdx: number) => ({ dataIdx }), id: (item: number) => `${name}_${item}` };
  if (testItems === null) return listedSplits({ ...plan, items: numbers });
  const test = readItemNumbers(testItems);
  const tested = new Set(test);
  const others = divided(numbers.filter((number) => !tested.has(number)));
  return listedSplits({
    ...plan,
    items: { train: [...others.train, ...others.test], eval: others.eval, test },
  });
}
