// Plays expert games of Twenty Questions from a seed, so that a policy can be trained on demonstrations without a download.
import { fraction, integer, Rng } from '@bowyer/core';
import { tiesSchema } from '../guessing-game/question-player.js';
import type { Truth } from './attributes/attribute.js';
import type { Dialogue } from './dialogues.js';
import { InformationGainPlayer } from './expert.js';
import { questionSet } from './questions.js';
import type { Answer, WinTest } from './rules.js';
import type { TwentyQuestionsOptions } from './twenty-questions.js';
import { selectWords } from './word-list.js';
import type { Word } from './words.js';
import { options, type OptionsOf } from '../option.js';

export interface DemonstrationOptions extends ExpertOptions {
  games: number;
  words: TwentyQuestionsOptions['words'];
  winTest: WinTest;
  maxTurns: number;
  seed: number;
}

export const demonstrationsSchema = options({
  noise: fraction(
    0.5,
    "Share of the expert's turns that are random: 65 % any attribute, 20 % any guess, 15 % an earlier question again.",
  ),
  attributes: integer(
    null,
    'Number of attributes that the expert may ask about, those that split the words best; null: two for each word, at most sixty.',
  ),
  wordings: integer(2, 'Number of wordings of each attribute question, the plainest first.'),
  maxUnclear: fraction(
    0.08,
    'A question about an attribute is asked only if its answer is unclear ("Invalid Question.") for at most this share of the words. With 0, only guesses may be unclear (is a ship a boat?).',
  ),
  ties: tiesSchema,
});

/** The options of the scripted expert that plays the demonstrations. */
export type ExpertOptions = OptionsOf<typeof demonstrationsSchema>;

/** Plays `games` games of the scripted expert and returns them in the format of ArCHer's data file. */
export function twentyQuestionsDemonstrations(options: DemonstrationOptions): Dialogue[] {
  const words = selectWords(options.words);
  const { winTest, wordings, noise, maxTurns, maxUnclear, ties, seed } = options;
  const questions = questionSet({ words, winTest, attributes: options.attributes ?? Infinity, wordings, maxUnclear });
  const rng = Rng.forPurpose(seed, 'twenty questions demonstrations');
  return Array.from({ length: options.games }, () => {
    const player = new InformationGainPlayer(questions, words.length, noise, rng, ties);
    return playGame(player, words, rng.integer(0, words.length - 1), maxTurns, rng);
  });
}

const answerOf: Record<Truth, Answer> = { yes: 'Yes.', no: 'No.', unclear: 'Invalid Question.' };

function playGame(player: InformationGainPlayer, words: readonly Word[], secret: number, maxTurns: number, rng: Rng) {
  const word = [...words[secret].variants];
  const lines: string[] = [];
  while (lines.length < maxTurns) {
    const question = player.ask();
    const truth = question.truths[secret];
    lines.push(`${rng.choice(question.wordings)} ${answerOf[truth]}`);
    if (question.wins === secret) return { lines, correct: true, word };
    player.learn(truth);
  }
  return { lines, correct: false, word };
}
