// Converts the messages of a training dialogue as the model server does, so that the template writes the same tokens in both.
import type { ChatMessage, ChatTemplate, Tokenizer } from '@bowyer/text';
import { callStyle } from './call-style.js';
import { messagesFor } from './history.js';

/** Returns a function that converts a dialogue's messages to the form in which the template reads tool calls. */
export function servedMessages(
  template: ChatTemplate,
  tokenizer: Tokenizer,
): (messages: readonly ChatMessage[]) => readonly ChatMessage[] {
  const style = callStyle(template, tokenizer);
  return (messages) => (style === null ? messages : messagesFor(style, messages));
}
