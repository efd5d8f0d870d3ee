// Plays demonstrations of `wordle`: the guess with the largest expected information, or, at the requested rate, a random one.
import type { Transition } from '@bowyer/core';
import { playDemonstrations, type PlayedDemonstrationOptions } from '../played-demonstrations.js';
import { bestGuess } from './expert.js';
import { agentGymWords, readVocabulary } from './vocabulary.js';
import { Wordle, type WordleInfo, type WordleOptions } from './wordle.js';

export async function wordleDemonstrations(
  env: WordleOptions,
  options: PlayedDemonstrationOptions,
): Promise<Transition[][]> {
  const words = env.vocabulary === null ? agentGymWords : readVocabulary(env.vocabulary);
  // The first guess of the expert is the same in all games and the most expensive to compute, so that it is computed once.
  let opening: string | undefined;
  return playDemonstrations(
    new Wordle(env),
    {
      best: (info, rng) => {
        const { possible } = info as WordleInfo;
        if (possible.length === words.length) return spelled((opening ??= bestGuess(possible, rng)));
        return spelled(bestGuess(possible, rng));
      },
      random: (_, rng) => spelled(rng.choice(words)),
    },
    options,
  );
}

const spelled = (word: string) => [...word].join(' ');
