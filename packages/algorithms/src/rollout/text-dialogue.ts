// Converts dialogues in ArCHer's format into tokens: the observation is the history as text, and the agent's utterance follows it.
import { spokenIds, type Utterance } from '@bowyer/core';
import type { Decision } from '@bowyer/envs';
import type { Tokenizer } from '@bowyer/text';
import type { Dialogue, Dialogues, Observed } from './dialogue.js';
import { sharedPrefix, SlotContext, type TurnTokens } from './turn-tokens.js';

/** Makes the conversion of episodes into one growing text. */
export const textDialogues = (tokenizer: Tokenizer): Dialogues => ({
  terminatorIds: [],
  open: () => new TextDialogue(tokenizer),
});

export class TextDialogue implements Dialogue {
  readonly #context = new SlotContext();
  /** The last observation and the action after it, which are the text of all tokens so far. */
  #observation = '';
  #action = '';
  #uttered = 0;

  constructor(private readonly tokenizer: Pick<Tokenizer, 'encode' | 'decode'>) {}

  /**
   * Returns only the new tokens if the observation continues the text so far. If it continues the last observation with a
   * different spelling of the action (as without a trailing space), returns those after that observation; otherwise the whole
   * text.
   */
  advance(request: Observed, cached: readonly number[]): { keep: number; tokens: number[] } {
    const { observation, ids, turn } = request;
    const [before, said] = [this.#observation, this.#observation + this.#action];
    this.#observation = observation;
    this.#action = '';
    if (turn > 0 && !ids && observation.startsWith(said)) {
      const tokens = this.tokenizer.encode(observation.slice(said.length));
      this.#context.extend(tokens);
      return { keep: cached.length, tokens };
    }
    if (turn > 0 && !ids && before !== '' && observation.startsWith(before)) {
      const tokens = this.tokenizer.encode(observation.slice(before.length));
      this.#context.rewrite(this.#uttered, tokens);
      return { keep: cached.length - this.#uttered, tokens };
    }
    const tokens = ids ? [...ids] : this.tokenizer.encode(observation);
    this.#context.restart(tokens);
    const keep = ids ? sharedPrefix(cached, tokens) : 0;
    return { keep, tokens: tokens.slice(keep) };
  }

  actionOf(utterance: Utterance): string {
    return this.tokenizer.decode(spokenIds(utterance));
  }

  decide(utterance: Utterance, contextTokens: number): Required<Decision<TurnTokens>> {
    const action = this.actionOf(utterance);
    this.#action = action;
    this.#uttered = spokenIds(utterance).length;
    return { action, data: this.#context.utter(utterance, contextTokens) };
  }
}
