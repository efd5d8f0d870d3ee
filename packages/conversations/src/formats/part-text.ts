// Converts the parts of a message's content, as other formats have them, to the texts of chat messages.
import { jsonAsWritten } from '@bowyer/text';
import { asRecord, BadItem, found } from '../files/data-error.js';

/** @param what describes the array in errors @throws {BadItem} */
export function recordsOf(value: unknown, what: string): Record<string, unknown>[] {
  if (!Array.isArray(value)) throw new BadItem(`${what} is ${found(value)}, not an array`);
  return value.map((each, i) => {
    const record = asRecord(each);
    if (record === null) throw new BadItem(`${what} has ${found(each)} at ${i + 1}, not an object`);
    return record;
  });
}

/**
 * Returns the content of a message as a text: the text itself, or the concatenated texts of its parts.
 *
 * @param types the types of parts that have the field `text`
 * @throws {BadItem} for images and other parts that are not text
 */
export function textOfParts(content: unknown, what: string, types: readonly string[]): string {
  if (typeof content === 'string') return content;
  if ((content ?? null) === null) return '';
  return recordsOf(content, `the content of ${what}`)
    .map((part) => partText(part, what, types))
    .join('');
}

export function partText(part: Readonly<Record<string, unknown>>, what: string, types: readonly string[]): string {
  const { type, text } = part;
  if (types.includes(String(type)) && typeof text === 'string') return text;
  throw new BadItem(`the content of ${what} has a part of type ${JSON.stringify(type)}; only parts of text are read`);
}

/** Values other than strings become JSON. */
export const answerText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : jsonAsWritten(value);

/** @param args an object, or its JSON text */
export const toolCall = (id: unknown, name: unknown, args: unknown): Record<string, unknown> => ({
  ...(typeof id === 'string' && id !== '' && { id }),
  type: 'function',
  function: { name, arguments: args ?? {} },
});

export const toolAnswer = (id: unknown, content: string): Record<string, unknown> => ({
  role: 'tool',
  ...(typeof id === 'string' && { tool_call_id: id }),
  content,
});
