// Plays Twenty Questions: the agent guesses the oracle's object. The reward is −1 a turn and 0 on the winning turn; a game has at
// most 20 turns. Source: ArCHer (Zhou et al. 2024, arXiv:2402.19446), commit 7c771a7, described in twenty_questions.md.
import { choice, integer, option } from '@bowyer/core';
import { GuessingGame } from '../guessing-game/guessing-game.js';
import type { Oracle } from '../oracle.js';
import { namesWord, normalizeAnswer } from './rules.js';
import { TableOracle } from './own-words.js';
import { RulesOracle } from './rules-oracle.js';
import { selectWords } from './word-list.js';
import type { Word } from './words.js';
import { options, type OptionsOf } from '../option.js';

export const twentyQuestionsSchema = options({
  words: option<string | readonly string[]>({
    description:
      "The objects of which episodes draw one: 'full' (157), 'subset10' (ten of them), a list of names taken from the 157, or a JSON file of your own words with their answers to your own questions.",
    anyOf: [
      { type: 'string', enum: ['full', 'subset10'] },
      { type: 'string', pattern: '\\.json$' },
      { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
    ],
    default: 'subset10',
  }),
  maxTurns: integer(20, 'Questions in an episode, which terminates (and is not truncated) after the last one.'),
  winTest: choice(
    ['lastToken', 'suffixTokens'],
    'lastToken',
    "Which questions name the object, and so win. 'lastToken': its last word is one of the object's names (ArCHer's rule; seven objects with names of two words cannot be won); 'suffixTokens': it ends with one of the names, which may have several words.",
  ),
  wordChoice: choice(
    ['uniform', 'bySeed'],
    'uniform',
    "'uniform' draws the object with the seeded generator; 'bySeed' takes object number seed modulo their count, so that evaluation seeds 0, 1, 2 … cover every object equally.",
  ),
  envIdx: integer(null, 'Number of the object, counted from 0 in the list that `words` names; null: any object.', {
    minimum: 0,
  }),
  format: choice(
    ['dialogue', 'json_prompt'],
    'dialogue',
    "'dialogue': the history is the observation, the question the action; 'json_prompt': the history stands in a prompt with the objects and an example, and the question in JSON, as ArCHer's large models play.",
  ),
});

export type TwentyQuestionsOptions = OptionsOf<typeof twentyQuestionsSchema>;

export class TwentyQuestions extends GuessingGame<Word> {
  constructor(options: TwentyQuestionsOptions, oracle?: Oracle<Word>) {
    const secrets = selectWords(options.words);
    const { table } = secrets[0];
    const answering = oracle ?? (table ? new TableOracle(secrets, table) : new RulesOracle());
    super({
      game: 'twenty_questions',
      infoKey: 'word',
      secrets,
      envIdx: options.envIdx,
      choice: options.wordChoice,
      maxTurns: options.maxTurns,
      id: answering.id,
      answer: async (word, question) => normalizeAnswer(await answering.answer(word, question)),
      wins: (word, question, answer) => answer === 'Yes.' && namesWord(question, word, options.winTest),
      isInvalid: (answer) => answer === 'Invalid Question.',
      repetitionKey: (question) =>
        question
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, ' ')
          .trim(),
    });
  }
}
