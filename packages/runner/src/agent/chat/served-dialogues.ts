// Normalizes tool calls in training dialogues as the server of the trained model will normalize them in requests, so that the
// chat template writes the same tokens in training and in serving.
import type { ChatMessage, ChatTemplate, Tokenizer } from '@bowyer/text';

/**
 * Converts tool calls and their results into the form that the chat template reads, as a server does: arguments as an object or a
 * string, ids of nine letters, one call in a message, results with the names of the tools. Dialogues without calls are returned
 * unchanged.
 */
export async function asServed<T extends { messages: readonly ChatMessage[] }>(
  dialogues: readonly T[],
  template: ChatTemplate,
  tokenizer: Tokenizer,
): Promise<T[]> {
  if (!dialogues.some(hasCalls)) return [...dialogues];
  const { servedMessages } = await import('@bowyer/serving'); // imported here, since most data has no tool calls
  const served = servedMessages(template, tokenizer);
  return dialogues.map((dialogue) =>
    hasCalls(dialogue) ? { ...dialogue, messages: served(dialogue.messages) } : dialogue,
  );
}

const hasCalls = ({ messages }: { messages: readonly ChatMessage[] }): boolean =>
  messages.some(({ tool_calls: calls }) => calls);
