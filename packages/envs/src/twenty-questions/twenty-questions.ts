// Twenty Questions: guess the object that the oracle thinks of. The reward is −1 a turn and 0 on the winning one, of at most 20
// turns.
// Source: ArCHer (Zhou et al. 2024, arXiv:2402.19446), commit 7c771a7, described in twenty_questions.md.
import { GuessingGame } from '../guessing-game/guessing-game.js';
import type { Oracle } from '../oracle.js';
import { namesWord, normalizeAnswer, type WinTest } from './rules.js';
import { RulesOracle } from './rules-oracle.js';
import { selectWords, type Word } from './words.js';

export interface TwentyQuestionsOptions {
  words: 'full' | 'subset10' | readonly string[];
  winTest: WinTest;
  maxTurns: number;
  wordChoice: 'uniform' | 'bySeed';
  envIdx: number | null;
  format: 'dialogue' | 'json_prompt';
}

export const twentyQuestionsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    words: {
      description:
        "The objects in play: 'full' (157), 'subset10' (ten of them), or a list of names taken from the 157.",
      anyOf: [
        { type: 'string', enum: ['full', 'subset10'] },
        { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
      ],
      default: 'subset10',
    },
    maxTurns: {
      description: 'Questions allowed in an episode. Running out of them is part of the game, so it terminates.',
      type: 'integer',
      minimum: 1,
      default: 20,
    },
    winTest: {
      description:
        "How a question names the object: 'lastToken' (ArCHer's rule; seven words of two tokens cannot be won) or 'suffixTokens'.",
      type: 'string',
      enum: ['lastToken', 'suffixTokens'],
      default: 'lastToken',
    },
    wordChoice: {
      description:
        "'uniform' draws the object with the seeded generator; 'bySeed' takes object number seed modulo their count, so that evaluation seeds 0, 1, 2 … cover every object equally.",
      type: 'string',
      enum: ['uniform', 'bySeed'],
      default: 'uniform',
    },
    envIdx: {
      description: 'Number of the object, counted from 0 in the list in play; null: any object.',
      type: ['integer', 'null'],
      minimum: 0,
      default: null,
    },
    format: {
      description:
        "'dialogue': the history is the observation, the question the action; 'json_prompt': the history stands in a prompt with the objects and an example, and the question in JSON, as ArCHer's large models play.",
      type: 'string',
      enum: ['dialogue', 'json_prompt'],
      default: 'dialogue',
    },
  },
} as const;

export class TwentyQuestions extends GuessingGame<Word> {
  constructor(options: TwentyQuestionsOptions, oracle: Oracle<Word> = new RulesOracle()) {
    super({
      game: 'twenty_questions',
      infoKey: 'word',
      secrets: selectWords(options.words),
      envIdx: options.envIdx,
      choice: options.wordChoice,
      maxTurns: options.maxTurns,
      id: oracle.id,
      answer: async (word, question) => normalizeAnswer(await oracle.answer(word, question)),
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
