// Plays the environment `wordle`: the agent finds the hidden five-letter word in six guesses. The hidden words are drawn as in
// LMRL-Gym's game (Abdulhai et al. 2023, arXiv:2311.18232), with the changes of AgentGym's server; see wordle.md.
import { choice, integer, text } from '@bowyer/core';
import { backendProperties } from '../agentgym/backend.js';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { PythonRandom } from '../cpython/random.js';
import { Knowledge } from './knowledge.js';
import { agentGymWords, readVocabulary } from './vocabulary.js';
import { options, type OptionsOf } from '../option.js';

export const wordleSchema = options({
  ...backendProperties,
  observation: choice(
    ['history', 'answer'],
    'history',
    "'history': all guesses and answers, as LMRL-Gym writes them; 'answer': the last answer alone, as AgentGym's server does.",
  ),
  reward: choice(
    ['lmrl', 'agentgym'],
    'lmrl',
    "'lmrl': −1 a guess, 0 for the one that solves it; 'agentgym': 1 for the one that solves it, else 0.",
  ),
  vocabulary: text(null, "File with one word a line; null for the forty words of AgentGym's server."),
  maxGuesses: integer(6, 'Guesses, including words that do not exist; after the last one the episode terminates.'),
});

export type WordleOptions = OptionsOf<typeof wordleSchema>;

/** The `info` of every result. `possible`: words that agree with the answers; `invalid`: the guess is not in the vocabulary. */
export interface WordleInfo extends Record<string, unknown> {
  possible: readonly string[];
  won: boolean;
  invalid: boolean;
  repeated: boolean;
}

const HEADER = 'Wordle:\n';
const GREETING = "Let's start Wordle!";

export class Wordle implements Env {
  readonly #order = new EpisodeOrder('wordle');
  readonly #words: readonly string[];
  readonly #isWord: ReadonlySet<string>;
  #random = new PythonRandom(0);
  #knowledge = Knowledge.nothing;
  #possible: readonly string[] = [];
  #guesses: string[] = [];
  #history = HEADER;

  constructor(private readonly options: WordleOptions) {
    this.#words = options.vocabulary === null ? agentGymWords : readVocabulary(options.vocabulary);
    this.#isWord = new Set(this.#words);
  }

  async reset({ seed }: { seed?: number } = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#random = new PythonRandom(seed);
    this.#knowledge = Knowledge.nothing;
    this.#possible = this.#words;
    this.#guesses = [];
    this.#history = HEADER;
    const observation = this.options.observation === 'history' ? HEADER : GREETING;
    return { observation, info: this.#info(false, false, false) };
  }

  /** Plays a guess. @param action five lower-case letters, with or without spaces between them */
  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const guess = action.split('\n', 1)[0].replaceAll(' ', '').trim();
    const repeated = this.#guesses.includes(guess);
    this.#guesses.push(guess);
    const isWord = this.#isWord.has(guess);
    if (isWord) this.#meet(guess);
    // As in LMRL-Gym, a game is won if only one word agrees with the answers and was guessed, in this turn or before.
    const won = isWord && this.#possible.length === 1 && this.#guesses.includes(this.#possible[0]);
    const terminated = won || this.#guesses.length >= this.options.maxGuesses;
    if (terminated) this.#order.end();
    return {
      observation: this.#observe(guess, isWord ? `${this.#knowledge.colours(guess)}\n` : 'invalid word'),
      reward: Number(won) - (this.options.reward === 'lmrl' ? 1 : 0),
      terminated,
      truncated: false,
      info: this.#info(won, !isWord, repeated),
    };
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  /** Draws a hidden word from the possible ones and adds the answer. As in LMRL-Gym, it is drawn again for every guess. */
  #meet(guess: string): void {
    this.#knowledge = this.#knowledge.after(guess, this.#random.choice(this.#possible));
    this.#possible = this.#words.filter((word) => this.#knowledge.allows(word));
  }

  #observe(guess: string, answer: string): string {
    if (this.options.observation === 'answer') return answer;
    this.#history += `${[...guess].join(' ')}\n${answer.trimEnd()}\n`;
    return this.#history;
  }

  #info(won: boolean, invalid: boolean, repeated: boolean): WordleInfo {
    return { possible: this.#possible, won, invalid, repeated };
  }
}
