// Plays a guessing game: the agent asks an oracle questions to find out its secret, such as a city. The reward is −1 per turn and
// 0 on the winning turn. Source: the guessing games of ArCHer (Zhou et al. 2024, arXiv:2402.19446), commit 7c771a7.
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { historyHeader, historyLine, questionOf } from './history.js';
import { chooseSecret } from './secret-choice.js';

/** The rules in which the guessing games (Guess My City, Twenty Questions) differ. */
interface GuessingRules<Secret extends { readonly name: string }> {
  game: string;
  /** The key under which `info` has the secret's name. */
  infoKey: string;
  secrets: readonly Secret[];
  /** The index of the secret of all episodes; null: `choice` selects the secret of each episode. */
  envIdx: number | null;
  choice: 'uniform' | 'bySeed';
  maxTurns: number;
  id: string;
  /** Returns the oracle's answer on one line, as it is written into the game's history. */
  answer: (secret: Secret, question: string) => Promise<string>;
  wins: (secret: Secret, question: string, answer: string) => boolean;
  /** Returns whether an answer says that the oracle cannot answer the question. */
  isInvalid: (answer: string) => boolean;
  /** Returns a normalised form of a question; questions with the same form count as repetitions. */
  repetitionKey: (question: string) => string;
}

/** The `info` of every step. `invalid`: the oracle could not answer. `repeated`: the agent asked the question before. */
interface GuessingInfo extends Record<string, unknown> {
  oracle: string;
  won: boolean;
  invalid: boolean;
  repeated: boolean;
}

export class GuessingGame<Secret extends { readonly name: string }> implements Env {
  readonly #order: EpisodeOrder;
  readonly #rules: GuessingRules<Secret>;
  #rng = new Rng(0);
  #secret: Secret;
  #history = historyHeader;
  #turn = 0;
  #asked = new Set<string>();

  constructor(rules: GuessingRules<Secret>) {
    const { game, envIdx, secrets } = rules;
    if (envIdx !== null && envIdx >= secrets.length) {
      throw new RangeError(`${game}: env.env_idx is ${envIdx}, but the secrets are 0…${secrets.length - 1}`);
    }
    this.#order = new EpisodeOrder(game);
    this.#rules = rules;
    this.#secret = secrets[envIdx ?? 0];
  }

  /** Begins a game. @param options.secret index in the list of secrets; default: the option `choice` selects one */
  async reset({ seed, secret }: { seed?: number; secret?: number } = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    const { secrets, envIdx, choice, infoKey, id } = this.#rules;
    this.#secret = secrets[secret ?? chooseSecret({ envIdx, choice, count: secrets.length }, seed, this.#rng)];
    this.#history = historyHeader;
    this.#turn = 0;
    this.#asked = new Set();
    return { observation: this.#history, info: { [infoKey]: this.#secret.name, oracle: id } };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const { infoKey, id, maxTurns, answer: ask, wins, isInvalid } = this.#rules;
    const question = questionOf(action);
    const answer = await ask(this.#secret, question);
    this.#turn++;
    this.#history += historyLine(question, answer);
    const won = wins(this.#secret, question, answer);
    // The turn limit is a rule of the game: it terminates the episode, so that the value after it is 0, as in the original.
    const terminated = won || this.#turn >= maxTurns;
    if (terminated) this.#order.end();
    const info: GuessingInfo = {
      [infoKey]: this.#secret.name,
      oracle: id,
      won,
      invalid: !won && isInvalid(answer),
      repeated: this.#isRepeated(question),
    };
    return { observation: this.#history, reward: won ? 0 : -1, terminated, truncated: false, info };
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  #isRepeated(question: string): boolean {
    const key = this.#rules.repetitionKey(question);
    const repeated = this.#asked.has(key);
    this.#asked.add(key);
    return repeated;
  }
}
