// The dialogue of a request's body in the form that all protocols share, for requests that another endpoint answers.
import { readChatMessages, readChatTools } from '@bowyer/conversations';
import { noLogitRules } from '@bowyer/models';
import type { ChatMessage, ChatTemplate } from '@bowyer/text';
import type { RequestReader } from '../generation/completion-request.js';
import { inTurns } from '../http/turn.js';
import type { CallProtocol } from './call-observer.js';
import { chatFields, nestedChatFields } from './chat-completions/known-fields.js';
import { RequestFields } from './fields/request-fields.js';
import { readMessageRequest } from './messages/read-message-request.js';
import { readResponseRequest } from './responses/read-response-request.js';
import { StoredResponses } from './responses/stored-responses.js';

export interface SentDialogue {
  messages: readonly ChatMessage[];
  /** In the form of Chat Completions. */
  tools: readonly Readonly<Record<string, unknown>>[];
}

/** @returns null where the body has none, or what this server does not read */
export async function sentDialogue(
  protocol: CallProtocol,
  body: unknown,
  signal: AbortSignal,
): Promise<SentDialogue | null> {
  try {
    if (protocol === 'completions') return null;
    if (protocol === 'chat-completions') return await chatDialogue(body, signal);
    const reader = readerFor(body);
    const { chat } =
      protocol === 'messages'
        ? await readMessageRequest(body, reader, signal, false)
        : await readResponseRequest(body, reader, new StoredResponses({ responses: 0, bytes: 0 }), signal);
    return { messages: chat.messages, tools: chat.inputs.tools ?? [] };
  } catch {
    return null; // the body itself is kept
  }
}

async function chatDialogue(body: unknown, signal: AbortSignal): Promise<SentDialogue> {
  const fields = new RequestFields(body, chatFields, '', []);
  const given = fields.objects('messages', nestedChatFields['messages[]']);
  const messages = await inTurns(readChatMessages(given, nestedChatFields), signal);
  return { messages, tools: readChatTools(fields, nestedChatFields) };
}

/** The reader of a model with the name that the body has, and any template. */
function readerFor(body: unknown): RequestReader {
  const template: Partial<ChatTemplate> = { ownVariables: [] };
  const reader: Partial<RequestReader> = {
    name: String((body as { model?: unknown }).model),
    template: template as ChatTemplate,
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 1 },
    rules: noLogitRules,
  };
  return reader as RequestReader;
}
