// Converts the tool calls of earlier turns and their results to the form of chat templates. The readers of all API forms use it.
import { writtenJson, type ChatMessage } from '@bowyer/text';

export interface EarlierCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: object };
}

/**
 * Returns the arguments of a call of an earlier turn. JSON text is kept as it is, so that the prompt has the same tokens that the
 * model sampled; null, '' and 'null' become empty arguments.
 *
 * @param given JSON text, or a value; a text that is not an object, or not JSON, is kept too
 */
export function earlierArguments(given: unknown): object {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given;
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  return ['', 'null'].includes(text.trim()) ? {} : writtenJson(text);
}

/** The earlier calls of a dialogue by id. A tool result gets the tool's name from its call, since some templates need it. */
export class EarlierCalls {
  readonly #names = new Map<string, string>();

  /** @param args JSON text, or a value */
  call(id: string, name: string, args: unknown): EarlierCall {
    if (id !== '') this.#names.set(id, name);
    return { id, type: 'function', function: { name, arguments: earlierArguments(args) } };
  }

  /** @param name of the tool, if the result itself contains it */
  result(id: string | null, content: string, name = id === null ? undefined : this.#names.get(id)): ChatMessage {
    return { role: 'tool', ...(id !== null && { tool_call_id: id }), ...(name !== undefined && { name }), content };
  }
}
