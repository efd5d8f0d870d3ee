// Converts the dialogues of a chat model into tokens by its chat template: observations are the user's messages, actions the
// assistant's. At each turn the model computes only the tokens that are not yet in the KV cache.
import { spokenIds, type Utterance } from '@bowyer/core';
import type { Decision } from '@bowyer/envs';
import type { ChatMessage, ChatTemplate, Tokenizer } from '@bowyer/text';
import type { Dialogue, Dialogues, Observed } from './dialogue.js';
import { sharedPrefix, SlotContext, type TurnTokens } from './turn-tokens.js';

export interface ChatOptions {
  template: ChatTemplate;
  /** Messages before the first observation. */
  opening: readonly ChatMessage[];
  /** Whether every observation is a separate context of one message. False if not given: the dialogue has a message per turn. */
  isSingleMessage?: boolean;
  /** Called once if the template rewrites earlier messages when a message is added. */
  onRewritten?: () => void;
}

/** Makes the conversion of episodes into messages of a chat. */
export function chatDialogues(tokenizer: Tokenizer, options: ChatOptions): Dialogues {
  let reported = false;
  const onRewritten = () => {
    if (!reported) options.onRewritten?.();
    reported = true;
  };
  return {
    terminatorIds: options.template.terminatorIds,
    open: () => new ChatDialogue(tokenizer, { ...options, onRewritten }),
  };
}

class ChatDialogue implements Dialogue {
  readonly #context = new SlotContext();
  #messages: ChatMessage[] = [];
  #observation = '';
  #action = '';

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly options: ChatOptions,
  ) {}

  advance({ turn, observation, ids }: Observed, cached: readonly number[]): { keep: number; tokens: number[] } {
    const { template, opening, isSingleMessage = false } = this.options;
    const begins = turn === 0 || isSingleMessage;
    if (begins) this.#messages = [...opening];
    const content = begins
      ? observation
      : messageOf(observation, { observation: this.#observation, action: this.#action });
    this.#messages.push({ role: 'user', content: content.trim() });
    this.#observation = observation;

    const added = begins ? null : template.encodeContinuation(this.#messages, this.#messages.length - 1);
    if (added !== null) {
      this.#context.extend(added);
      return { keep: cached.length, tokens: added };
    }
    if (!begins) this.options.onRewritten?.();
    const prompt = ids ? [...ids] : template.encodePrompt(this.#messages);
    // Scoring must use the sampler's context: a rewritten context begins a new segment.
    this.#context.restart(prompt);
    const keep = turn === 0 && !ids ? 0 : sharedPrefix(cached, prompt);
    return { keep, tokens: prompt.slice(keep) };
  }

  actionOf(utterance: Utterance): string {
    return this.tokenizer.decode(spokenIds(utterance)).trim();
  }

  decide(utterance: Utterance, contextTokens: number): Required<Decision<TurnTokens>> {
    this.#action = this.actionOf(utterance);
    // The spaces of the utterance are kept, since they are in the context.
    this.#messages.push({ role: 'assistant', content: this.tokenizer.decode(spokenIds(utterance)) });
    return { action: this.#action, data: this.#context.utter(utterance, contextTokens) };
  }
}

/**
 * Returns the text that an observation adds to the previous turn: the rest, if the observation contains the previous one and the
 * action (some environments write only its first line); if not, the whole observation.
 */
export function messageOf(observation: string, before: { observation: string; action: string }): string {
  const rest = observation.slice(before.observation.length);
  if (!observation.startsWith(before.observation) || rest.trim() === '') return observation;
  const firstLine = before.action.split('\n', 1)[0].trimEnd();
  const action = [before.action, firstLine].find((text) => rest.startsWith(text));
  return action === undefined ? observation : rest.slice(action.length);
}
