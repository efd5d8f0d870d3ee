// Converts between texts and the typed records of an OpenEnv server: finds the field of the action that takes the agent's text,
// and the fields of the observation that the agent reads.
import type { OpenEnvOptions } from './options.js';

type MappingOptions = Pick<OpenEnvOptions, 'actionFormat' | 'actionField' | 'observationFields'>;

/** The answer of an OpenEnv server to GET /schema. */
export interface OpenEnvSchemas {
  action: RecordSchema;
  observation: RecordSchema;
}

interface RecordSchema {
  properties?: Readonly<Record<string, unknown>>;
  required?: readonly string[];
}

export interface TextMapping {
  /** Returns the action's fields for an agent's reply; null if the format is json and the reply is not a JSON object. */
  action(text: string): Record<string, unknown> | null;
  observation(fields: Readonly<Record<string, unknown>>): string;
}

/** Fields of OpenEnv's base classes, which never contain the action's or the observation's text. */
const BASE = ['done', 'reward', 'metadata'];

/** Names that the text field of an observation commonly has, the most likely first. */
const TEXT_FIELDS = ['text', 'prompt', 'observation', 'question', 'message', 'content', 'result'];

/** Finds the text fields in the server's schemas. @throws an error with the available fields if they are ambiguous */
export function textMapping(
  url: string,
  { action, observation }: OpenEnvSchemas,
  options: MappingOptions,
): TextMapping {
  const observed = observationFields(url, observation, options.observationFields);
  const shown = (fields: Readonly<Record<string, unknown>>) =>
    observed.flatMap((field) => ((fields[field] ?? null) === null ? [] : [textOf(fields[field])])).join('\n');
  if (options.actionFormat === 'json') return { action: jsonAction, observation: shown };
  const field = actionField(url, action, options.actionField);
  return { action: (text) => ({ [field]: text }), observation: shown };
}

function actionField(url: string, { properties = {}, required }: RecordSchema, chosen: string | null): string {
  const fields = Object.keys(properties).filter((name) => !BASE.includes(name));
  if (chosen !== null) {
    if (fields.length === 0 || fields.includes(chosen)) return chosen;
    throw unknownField(url, 'action', 'env.action_field', chosen, fields);
  }
  const candidates = fields.length === 1 ? fields : fields.filter((name) => required?.includes(name));
  if (candidates.length === 1) return candidates[0];
  throw new Error(
    `${url}: an action has the fields ${fields.join(', ') || '(none published)'}, and it is not clear which of them takes the agent's text\n` +
      '  name it: env.action_field=NAME; or let the agent write whole actions: env.action_format=json',
  );
}

function observationFields(
  url: string,
  { properties = {} }: RecordSchema,
  chosen: readonly string[] | null,
): readonly string[] {
  const fields = Object.keys(properties).filter((name) => !BASE.includes(name));
  if (chosen !== null) {
    const unknown = chosen.find((name) => fields.length > 0 && !fields.includes(name));
    if (unknown !== undefined) throw unknownField(url, 'observation', 'env.observation_fields', unknown, fields);
    return chosen;
  }
  const known = TEXT_FIELDS.find((name) => fields.includes(name));
  if (known !== undefined) return [known];
  if (fields.length > 0) return fields;
  throw new Error(
    `${url}: no field of an observation is published\n  name those that the agent reads: env.observation_fields=[NAME]`,
  );
}

const unknownField = (url: string, record: string, key: string, chosen: string, fields: readonly string[]) =>
  new Error(`${url}: the ${record} has no field '${chosen}' (${key})\n  its fields: ${fields.join(', ')}`);

/** Parses a reply that is a JSON object, with or without a code fence. */
function jsonAction(text: string): Record<string, unknown> | null {
  const inner = /```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1] ?? text;
  try {
    const value: unknown = JSON.parse(inner);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
