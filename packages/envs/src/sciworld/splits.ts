// Defines the splits of ScienceWorld: training, evaluation and test use the task variations of the folds train, dev and test.
import { servedSplits } from '../agentgym/splits.js';
import type { Split } from '../contract/env.js';
import { sharedSplits, type SplitPlan } from '../splits.js';
import type { SciWorldFold, SciWorldOptions } from './options.js';

const foldOf: Readonly<Record<Split, SciWorldFold>> = { train: 'train', eval: 'dev', test: 'test' };

export function sciWorldSplits({ backend, fold, ...served }: SciWorldOptions): SplitPlan {
  if (backend === 'agentgym') return servedSplits('sciworld', served);
  const variations = sharedSplits({
    noun: 'variations',
    count: null,
    item: ({ task, variation }) => `${String(task)} ${String(variation)}`,
    reset: ({ split }) => (fold === null ? { fold: foldOf[split] } : {}),
  });
  return { ...variations, shared: fold !== null };
}
