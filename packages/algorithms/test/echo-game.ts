// A game that can be learned from scratch in seconds: the agent must repeat the shown colour. The best return is 0.
import { Rng } from '@bowyer/core';
import type { Env, StepResult } from '@bowyer/envs';
import { wordLevelTokenizer } from '@bowyer/text';

export const colours = ['red', 'green', 'blue'];
const MAX_TURNS = 3;

/** The reward is −1 for a wrong word and 0 for the right one, which ends the game. There are three tries. */
export class EchoGame implements Env {
  #rng = new Rng(0);
  #shown = '';
  #history = '';
  #turn = 0;
  async close() {}

  async reset({ seed }: { seed?: number } = {}) {
    if (seed !== undefined) this.#rng = new Rng(seed);
    this.#shown = this.#rng.choice(colours);
    this.#turn = 0;
    this.#history = `show ${this.#shown}\n`;
    return { observation: this.#history, info: {} };
  }

  expertReply(): string {
    return this.#shown;
  }

  async step(action: string): Promise<StepResult> {
    this.#turn++;
    const won = action === this.#shown;
    this.#history += `${action} ${won ? 'yes' : 'no'}\n`;
    const terminated = won || this.#turn === MAX_TURNS;
    return { observation: this.#history, reward: won ? 0 : -1, terminated, truncated: false, info: { won } };
  }
}

export const tokenizer = wordLevelTokenizer(
  [`show\n${colours.join('\n')}`, ...colours.map((colour) => `show ${colour}\n`)],
  {
    wholeTokens: [' yes\n', ' no\n'],
  },
);

const idOf = (token: string) => tokenizer.encode(token)[0];
export const terminatorId = idOf('\n');
/** The agent can write only the three colours and the end of its turn. */
export const maskedTokenIds = Array.from({ length: tokenizer.vocabSize }, (_, id) => id).filter(
  (id) => ![terminatorId, ...colours.map(idOf)].includes(id),
);
