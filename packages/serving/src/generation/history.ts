// The parts of earlier messages that all protocols of chats bring in their own form: calls of tools, in the form that templates take.
import { isTooDeep, MOST_LEVELS } from '../http/json-nesting.js';
import { earlierArguments } from '../tool-calls/history.js';

export interface EarlierCall {
  id: string;
  name: string;
  /** A text of JSON, or the value itself. */
  arguments: unknown;
}

/**
 * A call as templates take it: with the object of its arguments.
 *
 * @param fail makes the error for arguments that cannot be read
 */
export function callInHistory({ id, name, arguments: given }: EarlierCall, fail: (problem: string) => Error): object {
  if (typeof given === 'string' && isTooDeep(given))
    throw fail(`has more than ${MOST_LEVELS} arrays and objects within each other`);
  return { type: 'function', id, function: { name, arguments: earlierArguments(given) } };
}
