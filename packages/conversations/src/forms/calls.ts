// Earlier calls of tools and their results, in the form that chat templates take, for all forms of messages.
import { writtenJson, type ChatMessage } from '@bowyer/text';

export interface EarlierCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: object };
}

/**
 * Returns the arguments of an earlier call. Text is written into the prompt as it is, so that a call has the tokens that it was sampled with;
 * where there is none (null, '', 'null') they are empty.
 *
 * @param given JSON as a text, or a value; text that is not an object, or not even JSON, is written as it is where arguments are JSON
 */
export function earlierArguments(given: unknown): object {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given;
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  return ['', 'null'].includes(text.trim()) ? {} : writtenJson(text);
}

/** The earlier calls of a dialogue by their ids, since a template may need the tool's name beside a result. */
export class EarlierCalls {
  readonly #names = new Map<string, string>();

  /** Adds a call. @param args a JSON text, or the value itself */
  call(id: string, name: string, args: unknown): EarlierCall {
    if (id !== '') this.#names.set(id, name);
    return { id, type: 'function', function: { name, arguments: earlierArguments(args) } };
  }

  /** Returns the result of a call as a message. @param name the tool's, where the result itself has it */
  result(id: string | null, content: string, name = id === null ? undefined : this.#names.get(id)): ChatMessage {
    return { role: 'tool', ...(id !== null && { tool_call_id: id }), ...(name !== undefined && { name }), content };
  }
}
