// Converts the messages of a dialogue for training to the form that a server passes to the template.
import type { ChatMessage, ChatTemplate, Tokenizer } from '@bowyer/text';
import { callStyle } from './call-style.js';
import { messagesFor } from './history.js';

/** Finds out how a template reads tool calls. @returns a function that converts a dialogue's messages */
export function servedMessages(
  template: ChatTemplate,
  tokenizer: Tokenizer,
): (messages: readonly ChatMessage[]) => readonly ChatMessage[] {
  const style = callStyle(template, tokenizer);
  return (messages) => (style === null ? messages : messagesFor(style, messages));
}
