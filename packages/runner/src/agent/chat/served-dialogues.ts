// Dialogues as a server writes them, so that what is trained has the tokens of what is served.
import type { ChatMessage, ChatTemplate, Tokenizer } from '@bowyer/text';

/**
 * Gives calls of tools and their results the form in which the template takes them, as a server does: arguments as an object or a text, ids
 * of nine letters, one call in a message, names beside results. Dialogues without calls stay as they are.
 */
export async function asServed<T extends { messages: readonly ChatMessage[] }>(
  dialogues: readonly T[],
  template: ChatTemplate,
  tokenizer: Tokenizer,
): Promise<T[]> {
  if (!dialogues.some(hasCalls)) return [...dialogues];
  const { servedMessages } = await import('@bowyer/serving'); // most trainings have no calls
  const served = servedMessages(template, tokenizer);
  return dialogues.map((dialogue) =>
    hasCalls(dialogue) ? { ...dialogue, messages: served(dialogue.messages) } : dialogue,
  );
}

const hasCalls = ({ messages }: { messages: readonly ChatMessage[] }): boolean =>
  messages.some(({ tool_calls: calls }) => calls);
