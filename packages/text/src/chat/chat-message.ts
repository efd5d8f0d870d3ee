// A dialogue with a chat model, and what it is in tokens.

/** A part of a message, such as `{type: 'text', text: '…'}`. */
export type ContentPart = Readonly<Record<string, unknown>>;

/** A message as a template sees it: with `tool_calls`, `reasoning_content`, `name` and whatever else it has. */
export interface ChatMessage {
  /** `assistant` is the model; `system` may come first; `tool` is the answer to a call. */
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  content?: string | readonly ContentPart[] | null;
  /**
   * Weight of an assistant's message in the loss, at least 0; true: 1, false: 0 (AgentGym's key). Templates do not see it.
   */
  loss?: boolean | number;
  /** Whether an assistant's message was cut off: then the model did not end it, and its end is not learned. Templates do not see it. */
  cut?: boolean;
  readonly [key: string]: unknown;
}

/** The inputs of a template besides the messages. */
export interface TemplateInputs {
  /** JSON schemas of the functions that the model may call. */
  tools?: readonly Readonly<Record<string, unknown>>[];
  /** Texts to answer from, with the keys that the template reads (`title`, `text`). */
  documents?: readonly Readonly<Record<string, unknown>>[];
  /** Variables of the template, such as `enable_thinking`. */
  variables?: Readonly<Record<string, unknown>>;
}

export interface Conversation {
  messages: readonly ChatMessage[];
  inputs?: TemplateInputs;
}

export interface EncodedConversation {
  ids: number[];
  /** [ids] Weight of each token in the loss: 0, or where the assistant wrote it and it is trained on, 1 or its message's weight. */
  lossMask: number[];
}

/**
 * How a prompt ends: `reply`, with what asks the assistant for one; `message`, behind the last message; `open`, within the last
 * message, which is the assistant's and a text, as if it were still being written.
 */
export type PromptEnding = 'reply' | 'message' | 'open';

/** Returns the weight of a message in the loss, where the assistant wrote it. */
export const lossWeight = ({ loss = true }: Pick<ChatMessage, 'loss'>): number => Number(loss);

/** Returns a message as templates see it. */
export const shown = ({ loss: _, cut: __, ...message }: ChatMessage): ChatMessage => message;

/** Returns whether the end of what is learned of a message is unknown: it was cut off, and calls or nothing stand behind its text. */
export const isWithoutEnd = ({
  cut = false,
  content,
  tool_calls: calls,
}: Pick<ChatMessage, 'cut' | 'content'> & { tool_calls?: unknown }): boolean =>
  cut && (typeof content !== 'string' || content.trim() === '' || (Array.isArray(calls) && calls.length > 0));

/** One way to write dialogues as text; the same object serves training and play, so both see the same ids. */
export interface ChatTemplate {
  /**
   * Encodes a dialogue for training: one example; several where the template writes earlier messages differently when more follow. Each
   * of the assistant's messages is learnt in one of them, after the tokens that it is asked with.
   */
  encodeConversation(messages: readonly ChatMessage[], inputs?: TemplateInputs): EncodedConversation[];
  /**
   * Names the parts of a dialogue that the template does not write: `tools`, `the content of tool messages`. Only the first of several
   * dialogues that are alike is looked at.
   */
  leavesOut(conversation: Conversation): string[];
  /** Encodes a dialogue up to where the assistant replies. */
  encodePrompt(messages: readonly ChatMessage[], inputs?: TemplateInputs): number[];
  /** Writes that dialogue in steps, for a server: others may have their turn where it yields. @returns what encodes it */
  writePromptInSteps(
    messages: readonly ChatMessage[],
    inputs?: TemplateInputs,
    ending?: PromptEnding,
  ): Generator<undefined, () => number[]>;
  /** Names of the variables that dialogues may bring: those that the template reads, beside those that every dialogue has. */
  readonly ownVariables: readonly string[];
  /**
   * Encodes the tokens that follow an assistant's message which is in the context as it was sampled, without the token that ended it:
   * the message's end, the messages after it, and the mark that asks for the next one.
   *
   * @param from the first message after it
   * @returns null where the template now renders earlier messages differently: then the whole dialogue must be read again
   */
  encodeContinuation(messages: readonly ChatMessage[], from: number): number[] | null;
  /** All that it is made of: templates with the same source write the same dialogues alike. */
  readonly source?: string;
  /** Tokens that end an assistant's message; the tokenizer's end of text may be another one. */
  readonly terminatorIds: readonly number[];
}

/** The error for a template and a dialogue that do not fit each other. */
export class ChatTemplateError extends Error {
  override readonly name: string = 'ChatTemplateError';

  constructor(problem: string, advice: string) {
    super([`Chat template: ${problem}`, `  ${advice}`].join('\n'));
  }
}

/** The error for a template that takes more work than a template may, whatever the dialogue. */
export class ChatTemplateLimitError extends ChatTemplateError {
  override readonly name = 'ChatTemplateLimitError';

  constructor(problem: string) {
    super(problem, 'use another template: chat_template=FILE, or the name of one');
  }
}

/**
 * Returns the first `maxLength` tokens, as AgentGym cuts: the right end is lost.
 *
 * @returns null where nothing to learn from would be left
 */
export function cutRight(encoded: EncodedConversation, maxLength: number): EncodedConversation | null {
  const lossMask = encoded.lossMask.slice(0, maxLength);
  if (!lossMask.some((weight) => weight > 0)) return null;
  return { ids: encoded.ids.slice(0, maxLength), lossMask };
}
