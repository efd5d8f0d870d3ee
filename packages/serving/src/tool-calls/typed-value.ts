// Finds the type of tool arguments in formats without quotation marks: only the schema decides whether `1` is a string.
import { pythonToJson } from './python-reading.js';
import { allows, memberSchemas, type CheckedKeywords, type Schema } from './schemas.js';

/**
 * Converts an argument that is written without quotation marks to JSON. If the tool's schema allows a string, the text is kept
 * unchanged as a string; only `null` becomes null if the schema allows null too. Otherwise the text is read as JSON or Python:
 * numbers, lists and objects keep their text; Python's True, False, None, lists and dicts become JSON's.
 *
 * If the schema allows neither a string nor the value that was read, the argument gets a type that the schema allows, and the
 * tool itself reports the error. If the schema has no type, JSON is read as JSON.
 *
 * @param parameters the schema of all arguments; null if unknown
 * @returns null for an empty value that cannot be a string: the argument is then omitted
 */
export function typedValue(raw: string, key: string, parameters: Schema | null): string | null {
  const schema = { allOf: memberSchemas(parameters, key, parameters) };
  if (ANY.every((value) => allows(schema, value, parameters, 'types'))) return plainValue(raw);
  const text = { value: raw, json: JSON.stringify(raw) };
  const literals = readings(raw.trim());
  for (const checked of ['values', 'types'] satisfies CheckedKeywords[]) {
    const isAllowed = ({ value }: Reading) => allows(schema, value, parameters, checked);
    const literal = literals.find(isAllowed);
    // `null` counts as null only without white space around it, since templates write none around a value that is not a string.
    const isNull = literal?.value === null && raw === raw.trim();
    if (isAllowed(text) && !isNull) return text.json;
    if (literal !== undefined) return literal.json;
  }
  return raw.trim() === '' ? null : (literals[0] ?? text).json;
}

/** One example of each type of JSON value. */
const ANY = ['', 0, null, true, [], {}];

/** A value as which a text can be read. */
interface Reading {
  value: unknown;
  json: string;
}

/** Returns what else than a string the text can be: a JSON or Python value, or a number with leading zeros. */
function readings(text: string): Reading[] {
  const json = jsonOf(text) ?? pythonToJson(text) ?? jsonOf(text.replace(/^([-+]?)0+(?=\d)/, '$1').replace(/^\+/, ''));
  const value: unknown = json === null ? undefined : JSON.parse(json);
  // A text in quotation marks is not read as the string between them, but keeps the marks.
  return json === null || typeof value === 'string' ? [] : [{ value, json }];
}

/** For a schema without a type: JSON, or a constant, list or dict of Python; anything else is a string. */
export function plainValue(raw: string): string {
  const text = raw.trim();
  const json = jsonOf(text) ?? (/^[-+.\d]/.test(text) ? null : pythonToJson(text));
  return json === null || json.startsWith('"') ? JSON.stringify(raw) : json;
}

function jsonOf(text: string): string | null {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return null;
  }
}
