// Twenty Questions: guess the object the oracle thinks of. Reward −1 a turn, 0 on the winning one, 20 turns.
// Source: ArCHer (Zhou et al. 2024, arXiv:2402.19446), commit 7c771a7, described in docs/environments/twenty_questions.md.
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import type { Oracle } from '../oracle.js';
import { chooseSecret } from '../secret-choice.js';
import { historyHeader, historyLine, namesWord, normalizeAnswer, questionOf, type WinTest } from './rules.js';
import { RulesOracle } from './rules-oracle.js';
import { selectWords, type Word } from './words.js';

export interface TwentyQuestionsOptions {
  words: 'full' | 'subset10' | readonly string[];
  winTest: WinTest;
  maxTurns: number;
  wordChoice: 'uniform' | 'bySeed';
  envIdx: number | null;
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
      default: 'full',
    },
    winTest: {
      description:
        "How a question names the object: 'lastToken' (ArCHer's rule; seven words of two tokens cannot be won) or 'suffixTokens'.",
      type: 'string',
      enum: ['lastToken', 'suffixTokens'],
      default: 'lastToken',
    },
    maxTurns: {
      description: 'Questions allowed in an episode. Running out of them is part of the game, so it terminates.',
      type: 'integer',
      minimum: 1,
      default: 20,
    },
    wordChoice: {
      description:
        "'uniform' draws the object with the seeded generator; 'bySeed' takes object number seed modulo their count, so that evaluation seeds 0, 1, 2 … cover every object equally.",
      type: 'string',
      enum: ['uniform', 'bySeed'],
      default: 'uniform',
    },
    envIdx: {
      description: 'Always this object, counted from 0 in the list in play; null for any.',
      type: ['integer', 'null'],
      minimum: 0,
      default: null,
    },
  },
} as const;

/** Beside every step, for metrics. `invalid`: the oracle could not answer. `repeated`: asked before in this episode. */
export interface TwentyQuestionsInfo extends Record<string, unknown> {
  word: string;
  oracle: string;
  won: boolean;
  invalid: boolean;
  repeated: boolean;
}

export class TwentyQuestions implements Env {
  readonly #order = new EpisodeOrder('twenty_questions');
  readonly #words: readonly Word[];
  #rng = new Rng(0);
  #word: Word;
  #history = historyHeader;
  #turn = 0;
  #asked = new Set<string>();

  constructor(
    private readonly options: TwentyQuestionsOptions,
    private readonly oracle: Oracle<Word> = new RulesOracle(),
  ) {
    this.#words = selectWords(options.words);
    const { envIdx } = options;
    if (envIdx !== null && envIdx >= this.#words.length) {
      throw new RangeError(
        `twenty_questions: envIdx is ${envIdx}, but the list in play has words 0…${this.#words.length - 1}`,
      );
    }
    this.#word = this.#words[envIdx ?? 0];
  }

  async reset({ seed }: { seed?: number } = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    const secrets = { envIdx: this.options.envIdx, choice: this.options.wordChoice, count: this.#words.length };
    this.#word = this.#words[chooseSecret(secrets, seed, this.#rng)];
    this.#history = historyHeader;
    this.#turn = 0;
    this.#asked = new Set();
    return { observation: this.#history, info: { word: this.#word.name, oracle: this.oracle.id } };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const question = questionOf(action);
    const answer = normalizeAnswer(await this.oracle.answer(this.#word, question));
    this.#turn++;
    this.#history += historyLine(question, answer);
    const won = answer === 'Yes.' && namesWord(question, this.#word, this.options.winTest);
    // The turn limit is a rule of the game, as in the original (d = 1, no bootstrap), not a cut from outside.
    const terminated = won || this.#turn >= this.options.maxTurns;
    if (terminated) this.#order.end();
    const info: TwentyQuestionsInfo = {
      word: this.#word.name,
      oracle: this.oracle.id,
      won,
      invalid: answer === 'Invalid Question.',
      repeated: this.#isRepeated(question),
    };
    return { observation: this.#history, reward: won ? 0 : -1, terminated, truncated: false, info };
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  #isRepeated(question: string): boolean {
    const key = question
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim();
    const repeated = this.#asked.has(key);
    this.#asked.add(key);
    return repeated;
  }
}
