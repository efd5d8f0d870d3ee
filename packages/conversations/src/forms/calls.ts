// Converts tool calls of earlier turns and their results to the form of chat templates, for all forms of messages.
import { writtenJson, type ChatMessage } from '@bowyer/text';

export interface EarlierCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: object };
}

/**
 * Returns the arguments of an earlier call. Text is kept as it is, so that the prompt has the tokens that were sampled; null, ''
 * and 'null' become empty arguments.
 *
 * @param given JSON text, or a value; text that is not an object, or not JSON, is kept too
 */
export function earlierArguments(given: unknown): object {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given;
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  return ['', 'null'].includes(text.trim()) ? {} : writtenJson(text);
}

/** The earlier calls of a dialogue by id. A template may need the tool's name of a result. */
export class EarlierCalls {
  readonly #names = new Map<string, string>();

  /** Adds a call. @param args JSON text, or a value */
  call(id: string, name: string, args: unknown): EarlierCall {
    if (id !== '') this.#names.set(id, name);
    return { id, type: 'function', function: { name, arguments: earlierArguments(args) } };
  }

  /** Returns a result as a message. @param name of the tool, if the result has it */
  result(id: string | null, content: string, name = id === null ? undefined : this.#names.get(id)): ChatMessage {
    return { role: 'tool', ...(id !== null && { tool_call_id: id }), ...(name !== undefined && { name }), content };
  }
}
