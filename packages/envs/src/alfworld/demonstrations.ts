// Expert episodes in households of our own, for supervised warm starts.
import type { Transition } from '@bowyer/core';
import { playWays, type WayDemonstrationOptions } from '../played-demonstrations.js';
import { Alfworld, type AlfworldOptions } from './alfworld.js';

export interface AlfworldDemonstrationOptions extends AlfworldOptions, WayDemonstrationOptions {}

/** Won episodes only: a search that the step limit cut is not worth imitating. */
export async function alfworldDemonstrations(options: AlfworldDemonstrationOptions): Promise<Transition[][]> {
  const { episodes, firstSeed, ...envOptions } = options;
  const env = new Alfworld(envOptions);
  const way = (seed: number) => {
    const { commands, won } = env.expertPath(seed);
    return won ? commands : null;
  };
  return playWays(env, way, { episodes, firstSeed });
}
