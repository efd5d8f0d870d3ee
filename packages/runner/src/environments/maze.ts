// The maze: shortest ways as demonstrations; ArCHer's env_idx is the starting place.
import { mazeDemonstrations, type MazeOptions } from '@bowyer/envs';
import type { EnvironmentKnowledge } from './knowledge.js';
import { askedOfExpert, playedEpisodes } from './played-episodes.js';

export const maze: EnvironmentKnowledge = {
  archerKeys: ['envIdx'],
  archerOptions: ({ env, envIdx }) => ({ game: env.game ?? envIdx }),
  // Recordings are of AgentGym's server.
  replayOptions: { observation: 'full', reward: 'agentgym' },
  warmStartOptions: ({ backend: _, baseUrl: __, actionFormat: ___, timeoutMs: ____, ...decisive }) => decisive,
  demonstrations: async (config) => {
    const { name: _, ...options } = config.env as unknown as MazeOptions & { name: string };
    return playedEpisodes(await mazeDemonstrations(options, askedOfExpert(config)));
  },
};
