// TextCraft: crafting plans as demonstrations; ArCHer's env_idx is the goal.
import { textCraftDemonstrations, type TextCraftOptions } from '@bowyer/envs';
import type { EnvironmentKnowledge } from './knowledge.js';
import { askedOfExpert, playedEpisodes } from './played-episodes.js';

export const textCraft: EnvironmentKnowledge = {
  archerKeys: ['envIdx'],
  archerOptions: ({ env, envIdx }) => ({ goal: env.goal ?? envIdx }),
  // Recordings are of AgentGym's server, which knows no limit.
  replayOptions: { observation: 'turn', stepLimit: Number.MAX_SAFE_INTEGER },
  warmStartOptions: ({ backend: _, baseUrl: __, actionFormat: ___, timeoutMs: ____, ...decisive }) => decisive,
  demonstrations: async (config) => {
    const { name: _, ...options } = config.env as unknown as TextCraftOptions & { name: string };
    return playedEpisodes(await textCraftDemonstrations(options, askedOfExpert(config)));
  },
};
