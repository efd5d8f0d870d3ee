// Defines the interface that reads an answer of another endpoint, complete or streamed, so that it can be recorded. An answer is
// either read completely or refused. Each API protocol has a reader.
import type { ReadMessage } from './growing-message.js';
import { isGiven, type Json } from './json-values.js';
import { UnreadAnswerError } from './unread-answer-error.js';

export interface ReadChoice {
  message: ReadMessage;
  finishReason: 'stop' | 'length' | 'tool_calls';
  /** The stop string of the request that ended the answer, if the endpoint reports it. */
  stop?: string;
}

/** Reads one answer while its chunks arrive. */
export interface AnswerReader {
  /** Reads a stream's event, or a complete answer. @throws {UnreadAnswerError} for content that cannot be recorded */
  add(piece: Json): void;
  /** Receives the end of the stream, which the event `[DONE]` announces. */
  done?(): void;
  /** Returns the choices in the order of their indices. @throws {UnreadAnswerError} if the answer is not complete */
  choices(): ReadChoice[];
}

/** Passes the events of a stream to a reader. */
export const addEvent =
  (answer: AnswerReader) =>
  (data: Json | '[DONE]' | null): void => {
    if (data === null) throw new UnreadAnswerError('an event of the stream is not a JSON object');
    if (data === '[DONE]') answer.done?.();
    else answer.add(data);
  };

/** The finish reasons of answers that the model itself ended, in several protocols. */
const ENDS = ['stop', 'eos', 'eos_token', 'end_turn', 'stop_sequence'];
const CALLS = ['tool_calls', 'tool_use'];
/** Finish reasons of answers that a token limit truncated. */
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
 * Returns a choice with its finish reason. It depends on the message too, since some endpoints return `stop` after tool calls.
 *
 * @throws {UnreadAnswerError} if the reason is a tool call, but the message has none
 */
export function ended(message: ReadMessage, reason: ReadChoice['finishReason']): ReadChoice {
  if (reason === 'tool_calls' && message.calls.length === 0)
    throw new UnreadAnswerError('it ended with calls, and has none');
  return { message, finishReason: reason === 'stop' && message.calls.length > 0 ? 'tool_calls' : reason };
}

/** Throws for JSON that reports an error, in the form of any protocol: an event of a stream or a complete answer. */
export function refuseError({ type, error, message }: Json): void {
  if (type !== 'error' && !isGiven(error)) return;
  const { message: text = message } = typeof error === 'object' && error !== null ? (error as Json) : {};
  throw new UnreadAnswerError(`it ended with an error: ${JSON.stringify(text ?? error)}`);
}
