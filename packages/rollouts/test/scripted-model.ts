// A model without weights, whose answers a script gives, for tests and measurements of the code around a model.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rng } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import type { Tokenizer } from '@bowyer/text';

/** Returns all ids of an answer, the last of which ends it. */
export type Script = (rng: Rng) => readonly number[];

interface Turn {
  slot: number;
  tokens: readonly number[];
  newTokens: number;
  rng: Rng;
}

class ScriptedEpisodes {
  readonly canCopy = false;
  readonly #contexts: number[][];
  readonly #answers: (readonly number[])[];

  constructor(
    slots: number,
    private readonly script: Script,
    private readonly tokenMs: number,
  ) {
    this.#contexts = Array.from({ length: slots }, () => []);
    this.#answers = Array.from({ length: slots }, () => []);
  }

  context = (slot: number): readonly number[] => this.#contexts[slot];
  length = (slot: number): number => this.#contexts[slot].length;
  adapter = (): null => null;
  cachedTokens = (): number => 0;
  truncate = (slot: number, length: number): void => void (this.#contexts[slot].length = length);
  retain = (): Promise<void> => Promise.resolve();
  close = (): Promise<void> => Promise.resolve();

  async read(turns: readonly Pick<Turn, 'slot' | 'tokens'>[]): Promise<number[]> {
    return turns.map(({ slot, tokens }) => {
      this.#contexts[slot].push(...tokens);
      return tokens.length;
    });
  }

  async act(turns: readonly Turn[]): Promise<object[]> {
    if (this.tokenMs > 0) await sleep(this.tokenMs);
    return turns.map(({ slot, tokens, newTokens, rng }) => {
      if (newTokens === 0) this.#answers[slot] = this.script(rng);
      const answer = this.#answers[slot];
      const ends = newTokens === answer.length - 1;
      const id = answer[newTokens];
      this.#contexts[slot].push(...tokens, ...(ends ? [] : [id]));
      const logprobs = Float32Array.of(-rng.uniform());
      return { slot, ids: [id], terminated: ends, logprobs, readTokens: tokens.length };
    });
  }
}

interface ScriptedOptions {
  contextLength?: number;
  /** Milliseconds that a token takes. */
  tokenMs?: number;
}

/** Returns a model with the members that a server uses. */
export function scriptedModel(
  tokenizer: Tokenizer,
  script: Script,
  { contextLength = 2048, tokenMs = 0 }: ScriptedOptions = {},
): LanguageModel {
  const model: Partial<Record<keyof LanguageModel, unknown>> = {
    tokenizer,
    config: {},
    contextLength,
    architecture: { vocabSize: tokenizer.vocabSize },
    maskedTokenIds: [],
    openEpisodes: ({ slots }: { slots: number }) => Promise.resolve(new ScriptedEpisodes(slots, script, tokenMs)),
  };
  return model as LanguageModel;
}
