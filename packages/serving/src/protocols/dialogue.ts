// Reads the dialogue of a request into the form that all protocols share, for requests that another endpoint answers.
import { noLogitRules } from '@bowyer/models';
import type { ChatMessage, ChatTemplate } from '@bowyer/text';
import type { ChatRequest } from '../generation/chat-request.js';
import type { RequestReader } from '../generation/completion-request.js';

export interface SentDialogue {
  messages: readonly ChatMessage[];
  /** The tools in the form of Chat Completions. */
  tools: readonly Readonly<Record<string, unknown>>[];
}

/** The result of reading a body's dialogue. */
export interface SentBody {
  /** The dialogue; null for a body that has none, or one that this server cannot read. */
  dialogue: SentDialogue | null;
  /** The reason why the dialogue cannot be read; absent otherwise. */
  unread?: string;
}

/** Reads the dialogue of a body. */
export async function sentDialogue(
  { dialogue }: { dialogue: (body: unknown, signal: AbortSignal) => Promise<SentDialogue | null> },
  body: unknown,
  signal: AbortSignal,
): Promise<SentBody> {
  try {
    return { dialogue: await dialogue(body, signal) };
  } catch (error) {
    return { dialogue: null, unread: (error as Error).message };
  }
}

/** Returns the dialogue of a chat that was read. */
export const dialogueOf = ({ messages, inputs }: Pick<ChatRequest, 'messages' | 'inputs'>): SentDialogue => ({
  messages,
  tools: inputs.tools ?? [],
});

/** Returns a reader for the model name in the body, and for any template. */
export function readerFor(body: unknown): RequestReader {
  const template: Partial<ChatTemplate> = { ownVariables: [] };
  const reader: Partial<RequestReader> = {
    name: String((body as { model?: unknown }).model),
    template: template as ChatTemplate,
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 1 },
    rules: noLogitRules,
  };
  return reader as RequestReader;
}
