// A model without weights for measurements of what stands around one: its answers are drawn from its random numbers, a token a call.
import { Rng } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';

const words = Array.from({ length: 200 }, (_, i) => `w${i}`).join(' ');
export const marks = ['[start]', '[end]'];
export const tokenizer = wordLevelTokenizer([words], { wholeTokens: [...marks, '\n', ' '] });
export const endId = tokenizer.tokenToId('[end]')!;
export const template =
  '{% for m in messages %}[start]{{ m.content }}[end]{% endfor %}{% if add_generation_prompt %}[start]{% endif %}';

interface Turn {
  slot: number;
  tokens: readonly number[];
  rng: Rng;
}

class ScriptedEpisodes {
  readonly canCopy = false;
  readonly #contexts: number[][];

  constructor(slots: number) {
    this.#contexts = Array.from({ length: slots }, () => []);
  }

  context = (slot: number): readonly number[] => this.#contexts[slot];
  length = (slot: number): number => this.#contexts[slot].length;
  adapter = (): null => null;
  cachedTokens = (): number => 0;
  truncate = (slot: number, length: number): void => void (this.#contexts[slot].length = length);
  retain = (): Promise<void> => Promise.resolve();
  close = (): Promise<void> => Promise.resolve();

  act(turns: readonly Turn[]): Promise<object[]> {
    return Promise.resolve(
      turns.map(({ slot, tokens, rng }) => {
        const ends = rng.uniform() < 0.05;
        const id = ends ? endId : rng.integer(marks.length + 2, tokenizer.vocabSize - 1);
        this.#contexts[slot].push(...tokens, ...(ends ? [] : [id]));
        const logprobs = Float32Array.of(-rng.uniform());
        return { slot, ids: ends ? [] : [id], terminatorId: ends ? endId : null, logprobs, readTokens: tokens.length };
      }),
    );
  }
}

/** With what a server asks of a model. */
export function scriptedModel(): LanguageModel {
  const model: Partial<Record<keyof LanguageModel, unknown>> = {
    tokenizer,
    config: {},
    contextLength: 2048,
    architecture: { vocabSize: tokenizer.vocabSize },
    maskedTokenIds: [],
    openEpisodes: ({ slots }: { slots: number }) => Promise.resolve(new ScriptedEpisodes(slots)),
  };
  return model as LanguageModel;
}
