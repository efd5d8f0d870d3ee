import { historyOffer, servedOffer } from '../context/context-options.js';
import { backendOptionNames, playedHereOrServed } from '../agentgym/backend.js';
import { expertNoiseSchema, playedOptions, playedSet, type ExpertNoise } from '../played-demonstrations.js';
import { servedSplits } from '../agentgym/splits.js';
import { sharedSplits } from '../splits.js';
import { defineEnvironment } from '../define-environment.js';
import { wordleDemonstrations } from './demonstrations.js';
import { Wordle, wordleSchema, type WordleOptions } from './wordle.js';

/** The options with which the built-in game behaves like the game on AgentGym's server. */
const asServed = { observation: 'answer', reward: 'agentgym' } as const;

export const wordleUnit = defineEnvironment<WordleOptions, ExpertNoise>({
  name: 'wordle',
  description: 'Find the hidden five-letter word in six guesses (LMRL-Gym).',
  ...playedHereOrServed<WordleOptions>('wordle', wordleSchema, {
    limit: 'maxGuesses',
    make: (options) => new Wordle(options),
  }),
  // As in LMRL-Gym, the hidden word is drawn again at every guess, so that no words can be kept apart for the test.
  splits: ({ backend, testItems }) =>
    backend === 'agentgym'
      ? servedSplits('wordle', { testItems })
      : sharedSplits({ noun: 'words', count: null, item: () => 'the vocabulary' }),
  context: ({ backend, observation }) =>
    backend === 'embedded' && observation === 'history' ? historyOffer : servedOffer,
  sampleActions: ['r o b o t', 'o t h e r', 'ultra', 'p a u s e', 'stare', 'ROBOT', ''],
  // Random guesses return −5.5, the expert −1.3. With AgentGym's 1 for a win, a policy wins about half of its games early.
  critic: { typicalReturn: ({ reward, backend }) => (reward === 'lmrl' && backend === 'embedded' ? -3 : 0.5) },
  // The recorded games are from AgentGym's server.
  replay: { options: asServed },
  demonstrations: {
    schema: expertNoiseSchema,
    make: async (options, request) => {
      const played = options.backend === 'agentgym' ? { ...options, ...asServed } : options;
      return playedSet(await wordleDemonstrations(played, playedOptions(request)));
    },
    independentOf: backendOptionNames.filter((name) => name !== 'backend'),
  },
});
