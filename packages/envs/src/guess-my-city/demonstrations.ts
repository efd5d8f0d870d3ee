// Plays games of Guess My City with a scripted expert, for supervised training before RL that needs no downloaded data.
import { Rng } from '@bowyer/core';
import type { Ties } from '../guessing-game/question-player.js';
import { selectCities } from './cities.js';
import type { CityDialogue } from './dialogues.js';
import { CityPlayer } from './expert.js';
import type { GuessMyCityOptions } from './options.js';
import { cityQuestions } from './questions.js';

interface CityDemonstrationOptions {
  games: number;
  cities: GuessMyCityOptions['cities'];
  maxTurns: number;
  /** The share of turns on which the expert acts at random, from 0 to 1. */
  noise: number;
  seed: number;
  /** Whether the expert also asks open questions (not yes/no) on turns that are not random. Their answers can reveal the city. */
  open: boolean;
  ties: Ties;
}

/** Plays `games` games and returns them in the format of ArCHer's data file of recorded games. */
export function guessMyCityDemonstrations(options: CityDemonstrationOptions): CityDialogue[] {
  const cities = selectCities(options.cities);
  const questions = cityQuestions(cities);
  const rng = Rng.forPurpose(options.seed, 'guess my city demonstrations');
  return Array.from({ length: options.games }, () => {
    const player = new CityPlayer(questions, cities.length, options.open, options.noise, rng, options.ties);
    const secret = rng.integer(0, cities.length - 1);
    const word = cities[secret].name.toLowerCase().replace(', ', ',');
    const conversation: string[] = [];
    while (conversation.length < options.maxTurns) {
      const { text, answers, wins } = player.ask();
      conversation.push(`${text} ${answers[secret]}`);
      if (wins === secret) return { conversation, done: true, word };
      player.learn(answers[secret]);
    }
    return { conversation, done: false, word };
  });
}

/** Returns every possible answer, as the game's history writes it. A word-level tokenizer encodes each as one token. */
export function cityAnswerTokens(cities: GuessMyCityOptions['cities']): string[] {
  const answers = cityQuestions(selectCities(cities)).flatMap((question) => question.answers);
  return [...new Set(['Yes.', 'No.', ...answers])].map((answer) => ` ${answer}\n`);
}
