// Reads the dialogue in a request that another endpoint answers, for recorders, in one form for all API protocols.
import { noLogitRules } from '@bowyer/models';
import type { ChatMessage, ChatTemplate } from '@bowyer/text';
import type { ChatRequest } from '../generation/chat-request.js';
import type { RequestReader } from '../generation/completion-request.js';

export interface SentDialogue {
  messages: readonly ChatMessage[];
  /** The tools in the form of Chat Completions. */
  tools: readonly Readonly<Record<string, unknown>>[];
}

export interface SentBody {
  /** Null for a body without a dialogue, or with one that this server cannot read. */
  dialogue: SentDialogue | null;
  /** Why the dialogue cannot be read; absent otherwise. */
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

export const dialogueOf = ({ messages, inputs }: Pick<ChatRequest, 'messages' | 'inputs'>): SentDialogue => ({
  messages,
  tools: inputs.tools ?? [],
});

/** For a dialogue that another endpoint answers: any model name is accepted, and the template's variables are not checked. */
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
