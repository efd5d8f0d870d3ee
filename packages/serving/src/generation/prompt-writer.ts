// Defines the interface for writing the prompts of chats: with the template alone, or with earlier sampled tokens.
import type { ChatMessage, ChatTemplate, PromptEnding, TemplateInputs } from '@bowyer/text';

export interface Dialogue {
  messages: readonly ChatMessage[];
  /** Tools in the form of Chat Completions, documents, and variables of the template. */
  inputs: TemplateInputs;
  template: ChatTemplate;
}

/** A chat whose prompt is written. */
export interface WrittenChat extends Dialogue {
  /** The source of its constraint; null without one. */
  constraint: string | null;
}

/** Returns a dialogue's tokens as written by its template. */
export type WriteDialogue = (messages: readonly ChatMessage[]) => Promise<number[]>;

/**
 * Writes a chat's prompt.
 *
 * @param endIds tokens that end messages of the model
 * @param write tokenizes messages with the template; it may be called with other messages too
 */
export type PromptWriter = (
  chat: Dialogue & { ending: PromptEnding },
  endIds: readonly number[],
  write: WriteDialogue,
) => Promise<number[]>;
