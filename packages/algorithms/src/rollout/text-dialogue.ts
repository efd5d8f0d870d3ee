// Dialogues in ArCHer's format: the observation is the history as text, and the agent's utterance is appended to it.
import type { Decision } from '@bowyer/envs';
import type { Tokenizer, Utterance } from '@bowyer/models';
import type { Dialogue, Dialogues, Observed, Spoken } from './dialogue.js';
import { sharedPrefix, SlotContext, type TurnTokens } from './turn-tokens.js';

export const textDialogues = (tokenizer: Tokenizer): Dialogues => ({
  terminatorIds: [],
  open: () => new TextDialogue(tokenizer),
});

export class TextDialogue implements Dialogue {
  readonly #context = new SlotContext();
  /** Of all tokens so far: the last observation and the action after it. */
  #text = '';

  constructor(private readonly tokenizer: Pick<Tokenizer, 'encode' | 'decode'>) {}

  /** Only the new tokens where the observation continues what the slot has read, or is given as tokens; else the whole text. */
  advance(request: Observed, cached: readonly number[]): { keep: number; tokens: number[] } {
    const { observation, ids, turn } = request;
    const continues = turn > 0 && observation.startsWith(this.#text);
    const added = continues ? observation.slice(this.#text.length) : observation;
    const tokens = ids ? [...ids] : this.tokenizer.encode(added);
    if (continues) this.#context.extend(tokens);
    else this.#context.restart(tokens);
    this.#text = observation;
    if (continues) return { keep: cached.length, tokens };
    const keep = ids ? sharedPrefix(cached, tokens) : 0;
    return { keep, tokens: tokens.slice(keep) };
  }

  actionOf({ ids }: Pick<Utterance, 'ids'>): string {
    return this.tokenizer.decode(ids);
  }

  decide(utterance: Spoken): Required<Decision<TurnTokens>> {
    const action = this.actionOf(utterance);
    this.#text += action;
    return { action, data: this.#context.utter(utterance) };
  }
}
