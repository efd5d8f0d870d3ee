// Reads values of formats that write texts without quotation marks: whether a value is a text is known only from the tool's
// schema.
import { pythonToJson } from './python-reading.js';
import { allows, memberSchemas, type CheckedKeywords, type Schema } from './schemas.js';

/**
 * Reads the value of an argument that is written without quotation marks, as JSON. Among the readings that the tool's schema allows the
 * text wins, and it stays as it was written; `null` alone is null where the schema allows that too. Numbers, lists and objects keep
 * their text; Python's True, False, None, lists and dicts become JSON's.
 *
 * Where the schema allows no reading, the value is passed on in the one of an allowed type, as its tool then says what is wrong. Where
 * it says nothing of the type, JSON is read as JSON.
 *
 * @param parameters the schema of all arguments; null: nothing is known of them
 * @returns null where nothing is written in the place of a value that cannot be a text: the argument is left out
 */
export function typedValue(raw: string, key: string, parameters: Schema | null): string | null {
  const schema = { allOf: memberSchemas(parameters, key, parameters) };
  if (ANY.every((value) => allows(schema, value, parameters, 'types'))) return plainValue(raw);
  const text = { value: raw, json: JSON.stringify(raw) };
  const literals = readings(raw.trim());
  for (const checked of ['values', 'types'] satisfies CheckedKeywords[]) {
    const isAllowed = ({ value }: Reading) => allows(schema, value, parameters, checked);
    const literal = literals.find(isAllowed);
    // Templates put no space around a value that is not a text.
    const isNull = literal?.value === null && raw === raw.trim();
    if (isAllowed(text) && !isNull) return text.json;
    if (literal !== undefined) return literal.json;
  }
  return raw.trim() === '' ? null : (literals[0] ?? text).json;
}

/** One value of each type. */
const ANY = ['', 0, null, true, [], {}];

/** A possible reading of a text. */
interface Reading {
  value: unknown;
  json: string;
}

/** Returns the readings beside the text itself: as JSON or Python, or as a number with leading zeros, which neither of them allows. */
function readings(text: string): Reading[] {
  const json = jsonOf(text) ?? pythonToJson(text) ?? jsonOf(text.replace(/^([-+]?)0+(?=\d)/, '$1').replace(/^\+/, ''));
  const value: unknown = json === null ? undefined : JSON.parse(json);
  // A text with quotation marks keeps them.
  return json === null || typeof value === 'string' ? [] : [{ value, json }];
}

/** Reads a value whose type no schema says: JSON, or a name, a list or a dict of Python; anything else is a text. */
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
