// The dialogue of a request in the form that all protocols share, for requests that another endpoint answers.
import { noLogitRules } from '@bowyer/models';
import type { ChatMessage, ChatTemplate } from '@bowyer/text';
import type { ChatRequest } from '../generation/chat-request.js';
import type { RequestReader } from '../generation/completion-request.js';

export interface SentDialogue {
  messages: readonly ChatMessage[];
  /** In the form of Chat Completions. */
  tools: readonly Readonly<Record<string, unknown>>[];
}

/** The reading of a body. */
export interface SentBody {
  /** Null where the body has no dialogue, or one that this server does not read. */
  dialogue: SentDialogue | null;
  /** Why the dialogue is not read; absent where it is, or there is none. */
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

/** Returns the reader of a model with the name that the body has, and any template. */
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
