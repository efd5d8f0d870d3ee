// Collects the texts from which a tokenizer for an agent's dialogues is made: those of the dialogues, and those that the chat
// template writes around them. The latter are found by rendering each dialogue with a marker in place of every text.
import { chatTemplate, bytePairTokenizer, ChatTemplateError, type ChatMessage, type ChatTemplate } from '@bowyer/text';
import type { RecordedDialogue } from '@bowyer/conversations';

export interface DialoguePieces {
  /** The texts of messages and the values in tool calls, and the texts that the chat template writes around them. */
  texts: string[];
  /** Common to many dialogues: markers of roles, tools, system messages, and the JSON around the values of tool calls. */
  shared: string[];
  /** The token that the chat template writes at the end of an assistant's message. */
  endToken: string;
}

/** The token at the end of a message, for templates that take it from the tokenizer (`eos_token`). */
const OWN_END = '<|end|>';

/** Characters that occur in no text; the second one replaces a value that JSON writes without quotation marks. */
const [MARK, BARE_MARK] = ['\uE000', '\uE001'];

/**
 * Collects the texts of dialogues and the texts that the template writes around them.
 *
 * @param template in Jinja
 * @throws {ChatTemplateError} where the template writes no token after an assistant's message
 */
export function piecesOf(dialogues: readonly RecordedDialogue[], template: string): DialoguePieces {
  const bytes = bytePairTokenizer([], { size: 0, endToken: OWN_END });
  const written = chatTemplate(template, bytes);
  const textOf = ({ messages, inputs }: RecordedDialogue): string =>
    bytes.decode(written.encodeConversation(messages, inputs).at(-1)!.ids, { keepSpecialTokens: true });
  const counts = new Map<string, number>();
  const texts: string[] = [];
  for (const dialogue of dialogues) {
    const around = textOf({ ...dialogue, messages: dialogue.messages.map(masked) }).replaceAll(`"${BARE_MARK}"`, MARK);
    const pieces = around.split(MARK).flatMap(linesOf);
    for (const piece of new Set(pieces)) counts.set(piece, (counts.get(piece) ?? 0) + 1);
    texts.push(...pieces, ...dialogue.messages.flatMap(({ content, ...rest }) => stringsIn([content, rest])));
  }
  const least = Math.min(dialogues.length, Math.max(2, dialogues.length / 100));
  const shared = [...counts].filter(([piece, count]) => count >= least && piece.trim().length > 1);
  return { texts, shared: shared.map(([piece]) => piece), endToken: endTokenOf(written, bytes) };
}

/**
 * Splits a text into lines with their line ends. A tag such as `<tool_call>` becomes a line of its own, since a reply begins or
 * ends there.
 */
const linesOf = (text: string): string[] =>
  text.match(/<[^\s<>]+>|(?:(?!<[^\s<>]+>)[^\n])*\n|(?:(?!<[^\s<>]+>)[^\n])+/g) ?? [];

function endTokenOf(template: ChatTemplate, bytes: ReturnType<typeof bytePairTokenizer>): string {
  const [{ ids }] = template.encodeConversation([
    { role: 'user', content: MARK },
    { role: 'assistant', content: BARE_MARK },
  ]);
  const text = bytes.decode(ids, { keepSpecialTokens: true });
  const end = /^<[^\s<>]+>/.exec(text.slice(text.indexOf(BARE_MARK) + 1));
  if (text.includes(BARE_MARK) && end !== null) return end[0];
  throw new ChatTemplateError(
    `it writes no token behind an assistant's message, with which a model would end its reply; it has written ${JSON.stringify(text.replace(MARK, 'question').replace(BARE_MARK, 'reply'))}`,
    "write the variable eos_token, or a mark such as '<|im_end|>', behind the content",
  );
}

/** Replaces the texts of a message by the marker. System messages are kept, since the same ones occur in many dialogues. */
function masked(message: ChatMessage): ChatMessage {
  if (message.role === 'system' || message.role === 'developer') return message;
  const { content, tool_calls: calls, ...rest } = message;
  const shown = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, isFree(key) ? mask(value) : value]),
  );
  return {
    ...shown,
    role: message.role,
    ...(content !== undefined && { content: maskedContent(content) }),
    ...(Array.isArray(calls) && { tool_calls: calls.map(maskedCall) }),
  };
}

/** Returns whether the value of a message's key is a text of the dialogue, such as the model's reasoning. */
const isFree = (key: string): boolean => /^(reasoning|reasoning_content|thinking)$/.test(key);

const maskedContent = (content: ChatMessage['content']): ChatMessage['content'] =>
  typeof content === 'string' || !content
    ? content && MARK
    : content.map((part) => ('text' in part ? { ...part, text: MARK } : part));

interface Call {
  function: { name: string; arguments: unknown };
}

const maskedCall = (call: Call) => ({
  ...call,
  function: { ...call.function, arguments: mask(parsed(call.function.arguments)) },
});

function mask(value: unknown): unknown {
  if (typeof value === 'string') return MARK;
  if (Array.isArray(value)) return value.map(mask);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mask(one)]));
  return BARE_MARK;
}

/** Parses the arguments of a tool call, which are an object or a JSON text. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function stringsIn(value: unknown): string[] {
  const own = parsed(value);
  if (typeof own !== 'object' || own === null) return own === undefined || own === null ? [] : [String(own)];
  return Object.values(own).flatMap(stringsIn);
}
