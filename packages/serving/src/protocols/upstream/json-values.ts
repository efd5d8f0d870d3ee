// Checks that values in the JSON of another endpoint's answer have the expected types, and returns them with these types.
import { UnreadAnswerError } from './unread-answer-error.js';

export type Json = Record<string, unknown>;

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

export function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new UnreadAnswerError(`${what} is not a text`);
}

export function objectOf(value: unknown, what: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new UnreadAnswerError(`${what} is not an object`);
}

export function listOf(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new UnreadAnswerError(`'${what}' is not a list`);
}
