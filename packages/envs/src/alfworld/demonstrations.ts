// Expert episodes in households made from seeds, for supervised warm starts.
import type { Transition } from '@bowyer/core';
import { trainItems } from '../splits.js';
import { playPlans, type PlannedDemonstrationOptions } from '../played-demonstrations.js';
import { Alfworld, type AlfworldOptions } from './alfworld.js';
import { alfworldSplits } from './splits.js';

export interface AlfworldDemonstrationOptions extends AlfworldOptions, PlannedDemonstrationOptions {}

/** Won episodes only: an episode that the step limit cuts is not worth imitating. */
export async function alfworldDemonstrations(options: AlfworldDemonstrationOptions): Promise<Transition[][]> {
  const { episodes, firstSeed, slips, ...envOptions } = options;
  const env = new Alfworld(envOptions);
  const plan = (seed: number) => {
    const { commands, won } = env.expertPath(seed);
    return won ? commands : null;
  };
  const trained = trainItems(env, alfworldSplits({ ...envOptions, backend: 'embedded' }));
  return playPlans(trained, plan, { episodes, firstSeed, slips });
}
