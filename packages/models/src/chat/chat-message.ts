// A dialogue with a chat model, and what it is in tokens.

export interface ChatMessage {
  /** `assistant` is the model; `system` may come first. */
  role: 'system' | 'user' | 'assistant';
  content: string;
  /** false: an assistant's message that is not to be learnt from (AgentGym's key). */
  loss?: boolean;
}

export interface EncodedConversation {
  ids: number[];
  /** [ids] 1 where the assistant wrote the token and it is trained on. */
  lossMask: number[];
  /** [messages] first token and end of each message, with the marks around it. */
  spans: { start: number; end: number }[];
}

/** One way to write dialogues as text; the same object serves training and play, so both see the same ids. */
export interface ChatTemplate {
  /** A whole dialogue, for training. */
  encodeConversation(messages: readonly ChatMessage[]): EncodedConversation;
  /** A dialogue up to where the assistant replies: the ids that precede its message in `encodeConversation`. */
  encodePrompt(messages: readonly ChatMessage[]): number[];
  /**
   * What follows an assistant's message that is in the context as it was sampled, without the token that ended it: the
   * message's end, the messages after it, and the mark that asks for the next one.
   *
   * @param from the first message after it
   * @returns null where the template now renders earlier messages differently: then the whole dialogue must be read again
   */
  encodeContinuation(messages: readonly ChatMessage[], from: number): number[] | null;
  /** Tokens that end an assistant's message; the tokenizer's end of text may be another one. */
  readonly terminatorIds: readonly number[];
}

/** A template and a dialogue do not fit. */
export class ChatTemplateError extends Error {
  override readonly name = 'ChatTemplateError';

  constructor(problem: string, advice: string) {
    super([`Chat template: ${problem}`, `  ${advice}`].join('\n'));
  }
}

/**
 * The first `maxLength` tokens, as AgentGym cuts: the right end is lost.
 *
 * @returns null where nothing to learn from would be left
 */
export function cutRight(encoded: EncodedConversation, maxLength: number): EncodedConversation | null {
  const lossMask = encoded.lossMask.slice(0, maxLength);
  if (!lossMask.includes(1)) return null;
  const spans = encoded.spans
    .filter(({ start }) => start < maxLength)
    .map(({ start, end }) => ({ start, end: Math.min(end, maxLength) }));
  return { ids: encoded.ids.slice(0, maxLength), lossMask, spans };
}
