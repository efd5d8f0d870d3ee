// Reads the answers of another endpoint, whole or streamed. An answer is read completely or refused. Each protocol has a reader.
import type { ReadMessage } from './growing-message.js';
import { isGiven, type Json } from './json-values.js';
import { UnreadAnswerError } from './unread-answer-error.js';

/** One answer of an endpoint. */
export interface ReadChoice {
  message: ReadMessage;
  finishReason: 'stop' | 'length' | 'tool_calls';
  /** The request's stop string that ended the answer, if the endpoint reports it. */
  stop?: string;
}

/** Reads an answer while its pieces arrive. */
export interface AnswerReader {
  /** Reads a piece, or a whole answer. @throws {UnreadAnswerError} for content that cannot be recorded */
  add(piece: Json): void;
  /** Called when the stream has announced its end. */
  done?(): void;
  /** Returns the choices in the order of their indices. @throws {UnreadAnswerError} if the answer is not complete */
  choices(): ReadChoice[];
}

/** Returns a function that reads the events of a stream. */
export const addEvent =
  (answer: AnswerReader) =>
  (data: Json | '[DONE]' | null): void => {
    if (data === null) throw new UnreadAnswerError('an event of the stream is not a JSON object');
    if (data === '[DONE]') answer.done?.();
    else answer.add(data);
  };

/** Finish reasons of answers that the model itself ended. */
const ENDS = ['stop', 'eos', 'eos_token', 'end_turn', 'stop_sequence'];
const CALLS = ['tool_calls', 'tool_use'];
/** Finish reasons of truncated answers. */
const CUTS = ['length', 'max_tokens', 'model_length', 'model_context_window_exceeded'];

export function reasonOf(given: unknown, key: string, what: string): ReadChoice['finishReason'] {
  if (!isGiven(given)) throw new UnreadAnswerError(`${what} has no ${key}: it broke off`);
  const reason = String(given).toLowerCase();
  if (CUTS.includes(reason)) return 'length';
  if (CALLS.includes(reason)) return 'tool_calls';
  if (ENDS.includes(reason)) return 'stop';
  throw new UnreadAnswerError(`${what} ended with ${key} '${String(given)}', which is not an end that a model writes`);
}

/**
 * Returns an answer with its finish reason, since endpoints also return `stop` after calls.
 *
 * @throws {UnreadAnswerError} if its calls are missing
 */
export function ended(message: ReadMessage, reason: ReadChoice['finishReason']): ReadChoice {
  if (reason === 'tool_calls' && message.calls.length === 0)
    throw new UnreadAnswerError('it ended with calls, and has none');
  return { message, finishReason: reason === 'stop' && message.calls.length > 0 ? 'tool_calls' : reason };
}

/** Throws for error events of all protocols, and for answers that are errors. */
export function refuseError({ type, error, message }: Json): void {
  if (type !== 'error' && !isGiven(error)) return;
  const { message: text = message } = typeof error === 'object' && error !== null ? (error as Json) : {};
  throw new UnreadAnswerError(`it ended with an error: ${JSON.stringify(text ?? error)}`);
}
