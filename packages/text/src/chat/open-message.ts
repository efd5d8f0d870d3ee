// Prepares dialogues whose last message is open: an assistant's message which the model continues.
// Source: transformers 5, `continue_final_message` of apply_chat_template: the message is rendered with a marker at its end, at
// which the text is cut off.
import { ChatTemplateError, type ChatMessage } from './chat-message.js';

/** The marker, a text that no template writes. Its trailing space shows whether the template trims messages. */
const MARK = 'END_OF_OPEN_MESSAGE ';

/** Puts the marker at the end of the last message. @throws {ChatTemplateError} if that message is not a text */
export function markedAtEnd(messages: readonly ChatMessage[]): ChatMessage[] {
  return [...messages.slice(0, -1), { ...messages.at(-1)!, content: openText(messages) + MARK }];
}

/**
 * Returns the rendered text of the marked dialogue up to the marker.
 *
 * @throws {ChatTemplateError} if the template changes or omits the message
 */
export function upToMark(rendered: string, messages: readonly ChatMessage[]): string {
  const at = rendered.lastIndexOf(MARK.trim());
  const content = openText(messages).trim();
  const before = at < 0 ? '' : rendered.slice(0, at);
  if (at < 0 || !before.trimEnd().endsWith(content))
    throw new ChatTemplateError(
      'it does not write the last message as it is, so that it cannot be continued',
      'end the dialogue with another message, or use another template',
    );
  return rendered.startsWith(MARK, at) ? before : before.trimEnd();
}

/** The text that the model is to continue. @throws {ChatTemplateError} if it cannot be continued */
export function openText(messages: readonly ChatMessage[]): string {
  const last = messages.at(-1);
  if (last?.role === 'assistant' && typeof last.content === 'string') return last.content;
  throw new ChatTemplateError(
    "only an assistant's message of text can be continued",
    `the last message's role is ${last?.role}`,
  );
}

/**
 * The length of the rendered text without the end that the template writes, for a message that was cut off; null if the template
 * changes the message. `render` writes the dialogue with another last message.
 */
export function lengthWithoutEnd(
  messages: readonly ChatMessage[],
  render: (marked: readonly ChatMessage[]) => string,
): number | null {
  try {
    return upToMark(render(markedAtEnd(messages)), messages).length;
  } catch (error) {
    if (error instanceof ChatTemplateError) return null;
    throw error;
  }
}
