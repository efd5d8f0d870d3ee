// Parses an agent's reply that calls a function: a JSON object (function_calling) or one line of Python (code_as_action).
import { isRecord } from '@bowyer/core';
import { parseCall } from './call-expression.js';
import type { FunctionTable } from './functions.js';
import type { ParsedReply } from './reply-rules.js';

/** The observation after a reply that calls no known function. No request is sent; the current observation is repeated. */
export const invalidAction = 'Invalid Action.';

/** Parses {"thought", "function_name", "arguments"}, all required, from the first `{` to the last `}` of a reply. */
export function parseFunctionCall(reply: string, functions: FunctionTable): ParsedReply {
  const [from, to] = [reply.indexOf('{'), reply.lastIndexOf('}')];
  try {
    const called: unknown = JSON.parse(withEscapedControls(reply.slice(from, to + 1)));
    if (!isRecord(called) || !('thought' in called) || !isRecord(called.arguments)) return { refusal: invalidAction };
    const action = writtenCall(functions, String(called.function_name).trim(), called.arguments);
    return action === null ? { refusal: invalidAction } : { thought: asPython(called.thought), action };
  } catch {
    return { refusal: invalidAction };
  }
}

/**
 * Returns the game's action for a call by AgentGym's rules: without arguments it is the verb alone, and a single argument must be
 * the function's first one. null for a call that AgentGym cannot convert either.
 */
function writtenCall(functions: FunctionTable, name: string, given: Record<string, unknown>): string | null {
  if (!Object.hasOwn(functions, name)) return null;
  const { parameters, required, writesShort, write } = functions[name];
  const count = Object.keys(given).length;
  if (writesShort && count > parameters.length) return null;
  const needed = parameters.slice(0, writesShort ? count : required);
  return needed.every((parameter) => Object.hasOwn(given, parameter))
    ? write(...needed.map((parameter) => asPython(given[parameter])))
    : null;
}

/** Formats a JSON value as Python's `str` does. */
function asPython(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : typeof value === 'string' ? value : JSON.stringify(value);
}

/** Parses a reply that is one Python call, with or without a code fence. The comments of the code become the thought. */
export function parseCodeAction(reply: string, functions: FunctionTable): ParsedReply {
  const code = reply
    .trim()
    .replace(/^```[^\n]*\n/, '')
    .replace(/```$/, '');
  try {
    const call = parseCall(code);
    const action = written(functions, call);
    return action === null ? { refusal: invalidAction } : { thought: call.comments.join(' '), action };
  } catch {
    return { refusal: invalidAction };
  }
}

interface Arguments {
  name: string;
  positional: readonly string[];
  named: Readonly<Record<string, string>>;
}

/** Returns the game's action for a call; null if the function or an argument is unknown, or a required one is missing. */
function written(functions: FunctionTable, { name, positional, named }: Arguments): string | null {
  if (!Object.hasOwn(functions, name)) return null;
  const { parameters, required, write } = functions[name];
  const repeated = parameters.slice(0, positional.length).some((parameter) => Object.hasOwn(named, parameter));
  const unknown = Object.keys(named).some((argument) => !parameters.includes(argument));
  if (repeated || unknown || positional.length > parameters.length) return null;
  const values = parameters.map((parameter, i) => positional[i] ?? named[parameter]);
  const given = values.filter((value) => value !== undefined);
  const isWhole = values.slice(0, required).every((value) => value !== undefined);
  return isWhole ? write(...given) : null;
}

/** Escapes line breaks and tabs inside the strings of a JSON text. Models write them unescaped, which JSON forbids. */
const withEscapedControls = (json: string): string =>
  json.replace(/"(?:\\[^]|[^"\\])*"/g, (text) =>
    text.replace(/[\u0000-\u001f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
