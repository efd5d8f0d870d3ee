// ALFWorld: the exploring expert's won episodes in households made from seeds.
import { alfworldDemonstrations, type AlfworldOptions } from '@bowyer/envs';
import type { EnvironmentKnowledge } from './knowledge.js';
import { askedOfExpert, playedEpisodes } from './played-episodes.js';

/** Far from the seeds that runs play. */
const FIRST_SEED = 1_000_000;

export const alfworld: EnvironmentKnowledge = {
  demonstrations: async (config) => {
    const { name: _, ...options } = config.env as unknown as AlfworldOptions & { name: string };
    const { episodes, seed } = askedOfExpert(config);
    return playedEpisodes(
      await alfworldDemonstrations({ ...options, episodes, firstSeed: FIRST_SEED + seed * 100_003 }),
    );
  },
};
