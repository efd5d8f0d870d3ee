// Dialogues of a chat model: what the environment says are the user's messages, what the agent says the assistant's, and the
// chat template makes of them the tokens that training saw. A turn costs only its new tokens.
import type { TokenSegment } from '@bowyer/core';
import type { ChatMessage, ChatTemplate, Tokenizer, Utterance } from '@bowyer/models';
import { recordUtterance, type Dialogue, type Dialogues } from './dialogue.js';
import type { ReadyTurn } from './player.js';

export interface ChatOptions {
  template: ChatTemplate;
  /** Messages before the first observation. */
  opening: readonly ChatMessage[];
  /** Told once if the template writes what was said before in another way as soon as more follows. */
  onRewritten?: () => void;
}

export function chatDialogues(tokenizer: Tokenizer, options: ChatOptions): Dialogues {
  let told = false;
  const onRewritten = () => {
    if (!told) options.onRewritten?.();
    told = true;
  };
  return {
    terminatorIds: options.template.terminatorIds,
    open: () => new ChatDialogue(tokenizer, { ...options, onRewritten }),
  };
}

class ChatDialogue implements Dialogue {
  segments: TokenSegment[] = [];
  #messages: ChatMessage[] = [];
  #observation = '';
  #action = '';

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly options: ChatOptions,
  ) {}

  advance({ turn, observation, ids }: ReadyTurn, held: readonly number[]): { keep: number; tokens: number[] } {
    const { template, opening } = this.options;
    if (turn === 0) {
      this.segments = [];
      this.#messages = [...opening];
    }
    this.#messages.push({ role: 'user', content: (turn > 0 ? this.#newsOf(observation) : observation).trim() });
    this.#observation = observation;

    const more = turn > 0 ? template.encodeContinuation(this.#messages, this.#messages.length - 1) : null;
    if (more !== null) {
      this.segments.at(-1)!.ids.push(...more);
      return { keep: held.length, tokens: more };
    }
    if (turn > 0) this.options.onRewritten?.();
    const prompt = ids ? [...ids] : template.encodePrompt(this.#messages);
    // Scoring must see what the sampler saw: a context that was rewritten is another stretch.
    this.segments.push({ ids: prompt, utterances: [] });
    const keep = turn === 0 ? 0 : commonPrefix(held, prompt);
    return { keep, tokens: prompt.slice(keep) };
  }

  /**
   * What the environment has said since the last observation: the rest of a history that goes on with the action, of which
   * some environments write the first line only. An observation that stands alone, turn by turn, is all new.
   */
  #newsOf(observation: string): string {
    const rest = observation.slice(this.#observation.length);
    if (!observation.startsWith(this.#observation) || rest.trim() === '') return observation;
    const said = [this.#action, this.#action.split('\n', 1)[0].trimEnd()].find((text) => rest.startsWith(text));
    return said === undefined ? observation : rest.slice(said.length);
  }

  actionOf({ ids }: Utterance): string {
    return this.tokenizer.decode(ids).trim();
  }

  record(turn: number, utterance: Utterance): string {
    this.#action = this.actionOf(utterance);
    recordUtterance(this.segments, turn, utterance);
    // To the last blank, since that is what stands in the context.
    this.#messages.push({ role: 'assistant', content: this.tokenizer.decode(utterance.ids) });
    return this.#action;
  }
}

function commonPrefix(a: readonly number[], b: readonly number[]): number {
  const longest = Math.min(a.length, b.length);
  let length = 0;
  while (length < longest && a[length] === b[length]) length++;
  return length;
}
