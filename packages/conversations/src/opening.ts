// Returns the beginning of a conversation up to the first answer of the assistant: the task that the agent was given.
import type { ChatMessage, Conversation, TemplateInputs } from '@bowyer/text';

export interface Opening {
  messages: readonly ChatMessage[];
  tools?: TemplateInputs['tools'];
}

export function openingOf({ messages, inputs }: Conversation): Opening {
  const first = messages.findIndex(({ role }) => role === 'assistant');
  const tools = inputs?.tools;
  return { messages: first < 0 ? messages : messages.slice(0, first), ...(tools && { tools }) };
}
