// Defines the interface of functions that write the prompts of chats: with the chat template alone, or with the tokens that the
// model sampled for its earlier messages in place of their encoded text.
import type { ChatMessage, ChatTemplate, PromptEnding, TemplateInputs } from '@bowyer/text';

export interface Dialogue {
  messages: readonly ChatMessage[];
  /** Tools in the form of Chat Completions, documents, and variables. */
  inputs: TemplateInputs;
  template: ChatTemplate;
}

/** The chat from which a prompt was written, with the constraint of its answer. */
export interface WrittenChat extends Dialogue {
  /** The key of the answer's constraint (grammar-key.ts); null without a constraint. */
  constraint: string | null;
}

/** Writes a dialogue with its chat template, and returns its token ids. */
export type WriteDialogue = (messages: readonly ChatMessage[]) => Promise<number[]>;

/**
 * @param endIds tokens that end messages of the model
 * @param write tokenizes messages with the template; it may be called with messages other than the chat's
 */
export type PromptWriter = (
  chat: Dialogue & { ending: PromptEnding },
  endIds: readonly number[],
  write: WriteDialogue,
) => Promise<number[]>;
