// Finds the tokens that a chat template writes between an answer and the next message, so that a prompt keeps all tokens up to
// the answer, and only later messages are rendered.
import type { ChatMessage } from '@bowyer/text';
import type { WriteDialogue } from '@bowyer/serving';

/** The tokens that a chat template writes after an answer of the model. */
interface Continuation {
  /** The token that ends the model's answer. */
  end: number;
  /** The tokens after the end token. */
  ids: number[];
}

/**
 * Returns the tokens that a chat template writes after an answer. The dialogue is rendered twice, with two different texts in
 * place of the answer: the common suffix of both renderings is the text after it. Earlier messages are replaced by short ones
 * with the same roles, so that the work does not grow with the dialogue.
 *
 * @param at index of the answer among the messages
 * @param endIds tokens that end the model's messages
 * @returns null if the template does not write the answer, or writes no end token after it
 */
export async function continuation(
  messages: readonly ChatMessage[],
  at: number,
  endIds: readonly number[],
  write: WriteDialogue,
): Promise<Continuation | null> {
  const one = await write(withAnswer(messages, at, 'a'));
  const other = await write(withAnswer(messages, at, 'b b'));
  let common = 0;
  while (common < one.length && one.at(-1 - common) === other.at(-1 - common)) common++;
  if (common === one.length) return null;
  const end = one.findIndex((id, i) => i >= one.length - common && endIds.includes(id));
  return end < 0 ? null : { end: one[end], ids: one.slice(end + 1) };
}

const withAnswer = (messages: readonly ChatMessage[], at: number, text: string): ChatMessage[] =>
  messages.map((message, i) => (i > at ? message : shortened(message, i === at ? text : 'x')));

/** Returns a short message with the same role, and with the same tool calls but other arguments. */
function shortened(message: ChatMessage, text: string): ChatMessage {
  const { role, tool_calls: calls, tool_call_id: id, name } = message;
  const hasCalls = Array.isArray(calls) && calls.length > 0;
  return {
    role,
    content: hasCalls ? '' : text,
    ...(hasCalls && { tool_calls: (calls as object[]).map((call) => withArguments(call, { x: text })) }),
    ...(id !== undefined && { tool_call_id: id }),
    ...(name !== undefined && { name }),
  };
}

const withArguments = (call: object, args: object): object => ({
  ...call,
  function: { ...(call as { function: object }).function, arguments: args },
});
