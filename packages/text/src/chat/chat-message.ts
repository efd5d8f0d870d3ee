/** One element of a message's content, such as `{type: 'text', text: '…'}`. */
export type ContentPart = Readonly<Record<string, unknown>>;

/** A message as chat templates in Jinja read it; they may also use `tool_calls`, `reasoning_content`, `name` and other keys. */
export interface ChatMessage {
  /** `assistant` is the model; `system` may come first; `tool` is the result of a call. */
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  content?: string | readonly ContentPart[] | null;
  /**
   * The weight of an assistant's message in the loss, at least 0; true: 1, false: 0 (AgentGym's key). Templates do not get this
   * key.
   */
  loss?: boolean | number;
  /** Whether an assistant's message was cut off at a token limit, so that the end that the template writes is not trained on. */
  cut?: boolean;
  readonly [key: string]: unknown;
}

/** The inputs of a chat template besides the messages. */
export interface TemplateInputs {
  /** JSON schemas of the functions that the model may call. */
  tools?: readonly Readonly<Record<string, unknown>>[];
  /** Texts to answer from, with the keys that the template uses (`title`, `text`). */
  documents?: readonly Readonly<Record<string, unknown>>[];
  /** Variables of the template, such as `enable_thinking`. */
  variables?: Readonly<Record<string, unknown>>;
}

/** A dialogue with the inputs of its template. */
export interface Conversation {
  messages: readonly ChatMessage[];
  inputs?: TemplateInputs;
}

/** A dialogue encoded as tokens, with their weights in the loss. */
export interface EncodedConversation {
  ids: number[];
  /** [ids] the weight of each token in the loss: the weight of its message where the assistant wrote it, else 0. */
  lossMask: number[];
}

/**
 * The end of a prompt: `reply`, the text that begins the assistant's reply; `message`, the end of the last message; `open`,
 * inside the last message, an assistant's text, as if it were still being written.
 */
export type PromptEnding = 'reply' | 'message' | 'open';

/** Returns the weight of an assistant's message in the loss. */
export const lossWeight = ({ loss = true }: Pick<ChatMessage, 'loss'>): number => Number(loss);

/** Returns a message without `loss` and `cut`, which chat templates do not get. */
export const shown = ({ loss: _, cut: __, ...message }: ChatMessage): ChatMessage => message;

/** Whether a cut-off message has a tool call or nothing after its text, so that the position of the cut is unknown. */
export const isWithoutEnd = ({
  cut = false,
  content,
  tool_calls: calls,
}: Pick<ChatMessage, 'cut' | 'content'> & { tool_calls?: unknown }): boolean =>
  cut && (typeof content !== 'string' || content.trim() === '' || (Array.isArray(calls) && calls.length > 0));

/** Writes dialogues as text, and encodes them. Training and rollouts use the same object, so that both have the same ids. */
export interface ChatTemplate {
  /**
   * Encodes a dialogue for training: as one example, or several if the template writes earlier messages differently once more
   * follow. Each assistant message is trained on in one of them, after the same tokens as in a rollout.
   */
  encodeConversation(messages: readonly ChatMessage[], inputs?: TemplateInputs): EncodedConversation[];
  /**
   * Lists the inputs and keys of messages that the template does not write: `tools`, `the content of tool messages`. Roles and
   * keys that an earlier dialogue had are not checked again.
   */
  leavesOut(conversation: Conversation): string[];
  /** Encodes a dialogue up to the beginning of the assistant's reply. */
  encodePrompt(messages: readonly ChatMessage[], inputs?: TemplateInputs): number[];
  /** Returns a function for the prompt of `encodePrompt`, written in steps, between which a server can serve other requests. */
  writePromptInSteps(
    messages: readonly ChatMessage[],
    inputs?: TemplateInputs,
    ending?: PromptEnding,
  ): Generator<undefined, () => number[]>;
  /** Names of the variables that a dialogue may set: those that the template reads, except the standard ones. */
  readonly ownVariables: readonly string[];
  /**
   * Encodes the tokens between a sampled assistant message, whose terminator is not in the context, and the next reply.
   *
   * @param from the index of the first message after it
   * @returns null if the template now writes earlier messages differently, so that the whole dialogue must be read again
   */
  encodeContinuation(messages: readonly ChatMessage[], from: number): number[] | null;
  /** The template's source, with which callers recognize templates that write dialogues in the same way. */
  readonly source?: string;
  /** Tokens that end an assistant's message; the tokenizer's end-of-text token may be different. */
  readonly terminatorIds: readonly number[];
}

/** Thrown if a chat template cannot be used for a dialogue or its inputs, such as roles or variables that it does not know. */
export class ChatTemplateError extends Error {
  override readonly name: string = 'ChatTemplateError';

  constructor(problem: string, advice: string) {
    super([`Chat template: ${problem}`, `  ${advice}`].join('\n'));
  }
}

/** Thrown if rendering a template exceeds the limits of work (see jinja/work.ts), whatever dialogue it renders. */
export class ChatTemplateLimitError extends ChatTemplateError {
  override readonly name = 'ChatTemplateLimitError';

  constructor(problem: string) {
    super(problem, 'use another template: chat.template=FILE, or the name of one');
  }
}

/** The first `maxLength` tokens, as in AgentGym; null if no token with a weight in the loss would remain. */
export function cutRight(encoded: EncodedConversation, maxLength: number): EncodedConversation | null {
  const lossMask = encoded.lossMask.slice(0, maxLength);
  if (!lossMask.some((weight) => weight > 0)) return null;
  return { ids: encoded.ids.slice(0, maxLength), lossMask };
}
