// Converts dialogues as a server does, so that training and serving give the same tokens.
import type { ChatMessage, ChatTemplate, Tokenizer } from '@bowyer/text';

/**
 * Converts calls of tools and their results into the form that the template reads, as a server does: arguments as an object or a
 * string, ids of nine letters, one call in a message, results with the tools' names. Dialogues without calls are returned
 * unchanged.
 */
export async function asServed<T extends { messages: readonly ChatMessage[] }>(
  dialogues: readonly T[],
  template: ChatTemplate,
  tokenizer: Tokenizer,
): Promise<T[]> {
  if (!dialogues.some(hasCalls)) return [...dialogues];
  const { servedMessages } = await import('@bowyer/serving'); // imported here, since most trainings have no calls
  const served = servedMessages(template, tokenizer);
  return dialogues.map((dialogue) =>
    hasCalls(dialogue) ? { ...dialogue, messages: served(dialogue.messages) } : dialogue,
  );
}

const hasCalls = ({ messages }: { messages: readonly ChatMessage[] }): boolean =>
  messages.some(({ tool_calls: calls }) => calls);
