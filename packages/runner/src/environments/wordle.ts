// Wordle: games of the most telling guesses as demonstrations.
import { wordleDemonstrations, type WordleOptions } from '@bowyer/envs';
import type { EnvironmentKnowledge } from './knowledge.js';
import { askedOfExpert, playedEpisodes } from './played-episodes.js';

export const wordle: EnvironmentKnowledge = {
  // Recordings are of AgentGym's server.
  replayOptions: { observation: 'answer', reward: 'agentgym' },
  warmStartOptions: ({ backend: _, baseUrl: __, actionFormat: ___, timeoutMs: ____, ...decisive }) => decisive,
  demonstrations: async (config) => {
    const { name: _, ...options } = config.env as unknown as WordleOptions & { name: string };
    return playedEpisodes(await wordleDemonstrations(options, askedOfExpert(config)));
  },
};
