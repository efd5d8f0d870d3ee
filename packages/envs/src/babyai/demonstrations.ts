// Expert episodes of BabyAI's worlds, for supervised warm starts.
import type { Transition } from '@bowyer/core';
import { playWays, type WayDemonstrationOptions } from '../played-demonstrations.js';
import { BabyAi, type BabyAiOptions } from './babyai.js';

export interface BabyAiDemonstrationOptions extends BabyAiOptions, WayDemonstrationOptions {}

/** Finished episodes only: a way that the step limit cut is not worth imitating. */
export async function babyAiDemonstrations(options: BabyAiDemonstrationOptions): Promise<Transition[][]> {
  const { episodes, firstSeed, ...envOptions } = options;
  const env = new BabyAi(envOptions);
  const way = () => {
    const actions = env.expertPath();
    return actions.length > options.stepLimit ? null : actions;
  };
  return playWays(env, way, { episodes, firstSeed });
}
