// BabyAI: the expert's finished episodes in worlds of the same levels.
import { babyAiDemonstrations, type BabyAiOptions } from '@bowyer/envs';
import type { EnvironmentKnowledge } from './knowledge.js';
import { askedOfExpert, playedEpisodes } from './played-episodes.js';

/** Far from the seeds that runs play. */
const FIRST_SEED = 1_000_000;

export const babyai: EnvironmentKnowledge = {
  warmStartOptions: ({ backend: _, baseUrl: __, actionFormat: ___, timeoutMs: ____, ...decisive }) => decisive,
  demonstrations: async (config) => {
    const { name: _, ...options } = config.env as unknown as BabyAiOptions & { name: string };
    if (options.backend === 'agentgym') {
      throw new Error(
        'babyai with backend=agentgym has no demonstrations: its worlds are on the server\n' +
          '  give a file of its own with demonstrations.path=FILE.jsonl, or a policy with policy_lm=FOLDER',
      );
    }
    const { episodes, seed } = askedOfExpert(config);
    return playedEpisodes(await babyAiDemonstrations({ ...options, episodes, firstSeed: FIRST_SEED + seed * 100_003 }));
  },
};
