// Expert episodes of BabyAI's worlds, for supervised warm starts.
import type { InformedTransition } from '@bowyer/core';
import { expertItems, seedSplits } from '../splits.js';
import { playPlans, type PlannedDemonstrationOptions } from '../played-demonstrations.js';
import { BabyAi, type BabyAiOptions } from './babyai.js';

export interface BabyAiDemonstrationOptions extends BabyAiOptions, PlannedDemonstrationOptions {}

/**
 * Episodes of an expert that knows what it has seen: a policy cannot imitate one that knows the map. Finished episodes only: one
 * that the step limit cuts is not worth imitating.
 */
export async function babyAiDemonstrations(options: BabyAiDemonstrationOptions): Promise<InformedTransition[][]> {
  const { episodes, firstSeed, slips, split, ...envOptions } = options;
  const env = new BabyAi(envOptions);
  return playPlans(expertItems(env, seedSplits(), split), () => env.explorerPath(), { episodes, firstSeed, slips });
}
