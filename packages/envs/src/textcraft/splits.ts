import { listedSplits, type SplitPlan } from '../splits.js';
import type { TextCraftOptions } from './options.js';
import { drawnGoals } from './textcraft.js';

/** Returns how goals are divided into splits. @param options.goal if not null, every split plays only this goal */
export const textCraftSplits = (options: TextCraftOptions): SplitPlan =>
  listedSplits({
    noun: 'goals',
    items: options.goal === null ? drawnGoals(options) : [options.goal],
    reset: (dataIdx) => ({ dataIdx }),
  });
