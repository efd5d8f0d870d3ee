// Converts the messages of a dialogue to the form that a template gets in serving, for training.
import type { ChatMessage, ChatTemplate, Tokenizer } from '@bowyer/text';
import { callStyle } from './call-style.js';
import { messagesFor } from './history.js';

/** Finds how a template takes calls of tools. @returns what writes the messages of a dialogue with calls so */
export function servedMessages(
  template: ChatTemplate,
  tokenizer: Tokenizer,
): (messages: readonly ChatMessage[]) => readonly ChatMessage[] {
  const style = callStyle(template, tokenizer);
  return (messages) => (style === null ? messages : messagesFor(style, messages));
}
