// A dialogue whose last message is open, so that the model continues it instead of writing a new one.
// Source: transformers 5, `continue_final_message` of apply_chat_template: the message is rendered with a mark behind it, and the text
// is cut there. Text that a template adds to a message's end, or trims from it, is left out likewise.
import { ChatTemplateError, type ChatMessage } from './chat-message.js';

/** No template writes it. Its space at the end shows whether the template trims messages. */
const MARK = 'END_OF_OPEN_MESSAGE ';

/** Returns the dialogue with the mark behind its last message. @throws {ChatTemplateError} where that has no text */
export function markedAtEnd(messages: readonly ChatMessage[]): ChatMessage[] {
  return [...messages.slice(0, -1), { ...messages.at(-1)!, content: openText(messages) + MARK }];
}

/**
 * Returns the text up to where the open message ends.
 *
 * @param rendered the marked dialogue's text
 * @throws {ChatTemplateError} where the template changes or omits the message
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

/** Reads the last message's text. @throws {ChatTemplateError} where it cannot be continued */
export function openText(messages: readonly ChatMessage[]): string {
  const last = messages.at(-1);
  if (last?.role === 'assistant' && typeof last.content === 'string') return last.content;
  throw new ChatTemplateError(
    "only an assistant's message of text can be continued",
    `the last message's role is ${last?.role}`,
  );
}

/**
 * Returns the length of the text up to the end of the last message, which was cut off.
 *
 * @param render the text of the dialogue with another last message
 * @returns null where the template does not write the message as it is
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
