// Reads the dialogue in a request's body, for recorders of requests that another endpoint answers. The result has one form for
// all API protocols.
import { noLogitRules } from '@bowyer/models';
import type { ChatMessage, ChatTemplate } from '@bowyer/text';
import type { ChatRequest } from '../generation/chat-request.js';
import type { RequestReader } from '../generation/completion-request.js';

export interface SentDialogue {
  messages: readonly ChatMessage[];
  /** The tools in the form of Chat Completions. */
  tools: readonly Readonly<Record<string, unknown>>[];
}

/** The dialogue of a request's body, or the reason why it cannot be read. */
export interface SentBody {
  /** The dialogue; null for a body without a dialogue, or with one that this server cannot read. */
  dialogue: SentDialogue | null;
  /** The reason why the dialogue cannot be read; absent otherwise. */
  unread?: string;
}

/** Reads the dialogue in a request's body with the reader of its protocol. An error becomes a text in the result. */
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

/** Returns the dialogue of a chat request. */
export const dialogueOf = ({ messages, inputs }: Pick<ChatRequest, 'messages' | 'inputs'>): SentDialogue => ({
  messages,
  tools: inputs.tools ?? [],
});

/**
 * Returns a reader of requests for a dialogue that another endpoint answers: it accepts the model name in the body, whatever it
 * is, and does not check the template's variables.
 */
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
