// Parses the messages that clients of an OpenEnv server send over a WebSocket, and describes what is wrong with invalid ones.
// Source: OpenEnv at 685de41 (message types unchanged from 0.2.1 to 0.10); errors have pydantic's form.

import { isRecord } from '@bowyer/core';
import { excerpt } from '../http/excerpt.js';
import { parseJson } from '../http/json-text.js';
import { BodyError } from '../http/request-body.js';

export type ErrorCode =
  | 'INVALID_JSON'
  | 'UNKNOWN_TYPE'
  | 'VALIDATION_ERROR'
  | 'EXECUTION_ERROR'
  | 'CAPACITY_REACHED'
  | 'FACTORY_ERROR'
  | 'SESSION_ERROR';

interface FieldProblem {
  type: 'missing' | 'extra_forbidden' | 'string_type' | 'int_type' | 'dict_type' | 'greater_than_equal';
  loc: (string | number)[];
  msg: string;
  input: unknown;
}

/** The arguments of a reset that this server reads; other keys are ignored, as the protocol allows. */
export interface ResetData {
  seed: number | null;
  episodeId: string | null;
  /** The number of the problem, counted from 0 as in AgentGym. */
  item: number | null;
}

type ClientMessage =
  | { type: 'reset'; data: ResetData }
  | { type: 'step'; message: string }
  | { type: 'state' }
  | { type: 'close' }
  | { type: 'mcp'; data: unknown };

/** The error for an invalid message that is answered with an error frame, after which the session continues. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly errors?: readonly FieldProblem[],
  ) {
    super(message);
  }
}

/** The error for a message that is not a JSON object, which ends the session. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
}

export const errorFrame = (code: ErrorCode, message: string, more: object = {}) => ({
  type: 'error',
  data: { message, code, ...more },
});

/** Throws {MessageError | SessionError}. */
export async function readMessage(text: string): Promise<ClientMessage> {
  const frame = await parseJson(text).catch((error: BodyError) => {
    throw new MessageError('INVALID_JSON', `Invalid JSON: ${error.message}`);
  });
  if (!isRecord(frame)) throw new SessionError('a message must be a JSON object');
  const { type = '' } = frame;
  switch (type) {
    case 'reset':
      refuseProblems(extraKeys(frame, ['type', 'data']));
      return { type, data: resetData(frame.data ?? {}, ['data']) };
    case 'step':
      refuseProblems([...missing(frame, ['data']), ...extraKeys(frame, ['type', 'data'])]);
      return { type, message: actionMessage(frame.data) };
    case 'mcp':
      refuseProblems([...missing(frame, ['data']), ...extraKeys(frame, ['type', 'data'])]);
      return { type, data: frame.data };
    case 'state':
    case 'close':
      refuseProblems(extraKeys(frame, ['type']));
      return { type };
    default:
      throw new MessageError(
        'UNKNOWN_TYPE',
        `Unknown message type: ${excerpt(typeof type === 'string' ? type : JSON.stringify(type))}`,
      );
  }
}

/** @param loc the path of `data` in the client's message, for errors */
export function resetData(data: unknown, loc: readonly string[]): ResetData {
  if (!isRecord(data)) throw refused([problem('dict_type', [...loc], 'Input should be a valid dictionary', data)]);
  const { episode_id: episodeId = null } = data;
  if (episodeId !== null && typeof episodeId !== 'string')
    throw refused([problem('string_type', [...loc, 'episode_id'], 'Input should be a valid string', episodeId)]);
  return { seed: integer(data, 'seed', loc), item: integer(data, 'data_idx', loc), episodeId };
}

/** Returns the text of an action `{"message": TEXT}`; every action may also have the field `metadata`. */
export function actionMessage(data: unknown): string {
  if (!isRecord(data)) throw refused([problem('dict_type', [], 'Input should be a valid dictionary', data)]);
  refuseProblems([...missing(data, ['message']), ...extraKeys(data, ['message', 'metadata'])]);
  const { message } = data;
  if (typeof message !== 'string')
    throw refused([problem('string_type', ['message'], 'Input should be a valid string', message)]);
  return message;
}

/** Reads an integer of 0 or more, also from a string, as pydantic does; null where it is absent. @throws {MessageError} */
function integer(data: Record<string, unknown>, key: string, loc: readonly string[]): number | null {
  const value = data[key] ?? null;
  if (value === null) return null;
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number))
    throw refused([problem('int_type', [...loc, key], 'Input should be a valid integer', value)]);
  if (number < 0)
    throw refused([problem('greater_than_equal', [...loc, key], 'Input should be greater than or equal to 0', value)]);
  return number;
}

const missing = (data: Record<string, unknown>, keys: readonly string[]) =>
  keys.filter((key) => !Object.hasOwn(data, key)).map((key) => problem('missing', [key], 'Field required', data));

const extraKeys = (data: Record<string, unknown>, known: readonly string[]) =>
  Object.keys(data)
    .filter((key) => !known.includes(key))
    .slice(0, MOST_PROBLEMS)
    .map((key) => problem('extra_forbidden', [excerpt(key)], 'Extra inputs are not permitted', data[key]));

const problem = (type: FieldProblem['type'], loc: FieldProblem['loc'], msg: string, input: unknown): FieldProblem => ({
  type,
  loc,
  msg,
  input: shortInput(input ?? null),
});

/** The most invalid fields that an error lists. */
const MOST_PROBLEMS = 20;

/** Returns an invalid value for an error message, or the beginning of its JSON if that is long. */
function shortInput(input: unknown): unknown {
  const text = JSON.stringify(input);
  const short = excerpt(text);
  return short === text ? input : short;
}

const refused = (problems: readonly FieldProblem[]) =>
  new MessageError('VALIDATION_ERROR', 'Invalid message', problems);

function refuseProblems(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw refused(problems);
}
