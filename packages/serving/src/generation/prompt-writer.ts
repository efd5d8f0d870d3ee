// The interface for writing the prompts of chats: by the template alone, or with tokens that were sampled before.
import type { ChatMessage, ChatTemplate, PromptEnding, TemplateInputs } from '@bowyer/text';

export interface Dialogue {
  messages: readonly ChatMessage[];
  /** Tools in the form of Chat Completions, documents, and variables of the template. */
  inputs: TemplateInputs;
  template: ChatTemplate;
}

/** A chat whose prompt is written. */
export interface WrittenChat extends Dialogue {
  /** The source of its constraint; null: it has none. */
  constraint: string | null;
}

/** Returns a dialogue in tokens as its template writes it. */
export type WriteDialogue = (messages: readonly ChatMessage[]) => Promise<number[]>;

/**
 * Writes a chat's prompt.
 *
 * @param endIds tokens that end messages of the model
 * @param write the template's way, for these messages and for others
 */
export type PromptWriter = (
  chat: Dialogue & { ending: PromptEnding },
  endIds: readonly number[],
  write: WriteDialogue,
) => Promise<number[]>;
