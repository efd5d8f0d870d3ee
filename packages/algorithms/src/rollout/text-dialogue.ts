// Dialogues as ArCHer writes them: the observation is the history as text, what the agent says is put behind it.
import type { TokenSegment } from '@bowyer/core';
import type { Tokenizer, Utterance } from '@bowyer/models';
import { recordUtterance, type Dialogue, type Dialogues } from './dialogue.js';
import type { ReadyTurn } from './player.js';

export const textDialogues = (tokenizer: Tokenizer): Dialogues => ({
  terminatorIds: [],
  open: () => new TextDialogue(tokenizer),
});

export class TextDialogue implements Dialogue {
  segments: TokenSegment[] = [];
  /** Of all tokens so far: the last observation and the action after it. */
  #text = '';

  constructor(private readonly tokenizer: Pick<Tokenizer, 'encode' | 'decode'>) {}

  /** Only what is new where the observation goes on from what the slot has seen, else the whole text. */
  advance(turn: ReadyTurn, held: readonly number[]): { keep: number; tokens: number[] } {
    const { observation, ids } = turn;
    if (turn.turn === 0) this.segments = [];
    const goesOn = turn.turn > 0 && observation.startsWith(this.#text);
    const news = goesOn ? observation.slice(this.#text.length) : observation;
    const tokens = ids ? [...ids] : this.tokenizer.encode(news);
    if (goesOn) this.segments.at(-1)!.ids.push(...tokens);
    else this.segments.push({ ids: [...tokens], utterances: [] });
    this.#text = observation;
    return { keep: goesOn ? held.length : 0, tokens };
  }

  actionOf({ ids }: Utterance): string {
    return this.tokenizer.decode(ids);
  }

  record(turn: number, utterance: Utterance): string {
    const action = this.actionOf(utterance);
    recordUtterance(this.segments, turn, utterance);
    this.#text += action;
    return action;
  }
}
