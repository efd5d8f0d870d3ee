// Plays the expert's episodes in generated households, on which a policy is trained by supervised learning before RL.
import type { Transition } from '@bowyer/core';
import { choice } from '@bowyer/core';
import { expertItems } from '../splits.js';
import { playPlans, type PlannedDemonstrationOptions } from '../played-demonstrations.js';
import { Alfworld, type AlfworldOptions } from './alfworld.js';
import { alfworldSplits } from './splits.js';
import type { OptionsOf } from '../option.js';

export const alfworldExpertSchema = {
  ties: choice(
    ['drawn', 'first'],
    'drawn',
    "Choice among places that are equally likely to contain the thing: 'drawn' by the seed, or the 'first' listed.",
  ),
} as const;

/** The options of the expert, except the rate of its deliberate mistakes (`slips`). */
export type ExpertTies = Partial<OptionsOf<{ properties: typeof alfworldExpertSchema }>>;

interface AlfworldDemonstrationOptions extends AlfworldOptions, PlannedDemonstrationOptions, ExpertTies {}

/** Returns the expert's episodes that reach the goal. */
export async function alfworldDemonstrations(options: AlfworldDemonstrationOptions): Promise<Transition[][]> {
  const { episodes, firstSeed, slips, split, ties, ...envOptions } = options;
  const env = new Alfworld(envOptions);
  const plan = (seed: number) => {
    const { commands, won } = env.expertPath(ties === 'first' ? null : seed);
    return won ? commands : null;
  };
  const items = expertItems(env, alfworldSplits({ ...envOptions, backend: 'embedded' }), split);
  return playPlans(items, plan, { episodes, firstSeed, slips });
}
