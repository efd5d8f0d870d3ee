// Expert episodes of BabyAI's worlds, for supervised warm starts.
import type { Transition } from '@bowyer/core';
import { seedSplits, trainItems } from '../splits.js';
import { playPlans, type PlannedDemonstrationOptions } from '../played-demonstrations.js';
import { BabyAi, type BabyAiOptions } from './babyai.js';

export interface BabyAiDemonstrationOptions extends BabyAiOptions, PlannedDemonstrationOptions {}

/** Finished episodes only: an episode that the step limit cuts is not worth imitating. */
export async function babyAiDemonstrations(options: BabyAiDemonstrationOptions): Promise<Transition[][]> {
  const { episodes, firstSeed, ...envOptions } = options;
  const env = new BabyAi(envOptions);
  const plan = () => {
    const actions = env.expertPath();
    return actions.length > options.stepLimit ? null : actions;
  };
  return playPlans(trainItems(env, seedSplits()), plan, { episodes, firstSeed });
}
